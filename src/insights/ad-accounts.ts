import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import { named, namedObject } from '../http/named.js'
import { type Answer, type Call, created, ok, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, currencySchema, nameSchema, textOfForm } from '../http/params.js'
import type { AdAccount, AdAccountDeletion, ConnectedAdAccount } from '../interface/generated/types.js'
import { isTimeZone } from '../lib/dates.js'
import { toAdAccountId } from './ad-account-id.js'
import {
  type AdAccountRow,
  accessTokenContext,
  deleteAdAccountRow,
  findAdAccount,
  insertAdAccount,
  listAdAccountRows,
  setAdAccountToken,
  updateAdAccountFacts,
} from './ad-accounts.store.js'
import { checkAccountToken } from './check-account.js'

const adAccountKeys = {
  id: Joi.string().required(),
  name: Joi.string().required(),
  currency: Joi.string().required(),
  timezone: Joi.string().required(),
}

/** An ad account in answers to callers with a key: `{id, name, currency, timezone}`. */
const adAccountBody = namedObject('AdAccount', adAccountKeys)

const toAdAccountBody = (row: AdAccountRow): AdAccount => ({
  id: row.ad_account_id,
  name: row.name,
  currency: row.currency,
  timezone: row.timezone,
})

/** An ad account as its operator sees it: whether it is connected to the ad platform, but never the token. */
const connectedAdAccountBody = namedObject('ConnectedAdAccount', {
  ...adAccountKeys,
  connected: Joi.boolean().required(),
  tokenExpiresAt: Joi.string().description(
    'When the access token expires. Only the response to connecting the account has it.',
  ),
})

const toConnectedAdAccountBody = (row: AdAccountRow): ConnectedAdAccount => ({
  ...toAdAccountBody(row),
  connected: row.access_token_sealed !== null,
})

/** The same for a caller who has just connected it. */
const toJustConnectedBody = (row: AdAccountRow, tokenEndsAt: Date | undefined): ConnectedAdAccount => ({
  ...toConnectedAdAccountBody(row),
  ...(tokenEndsAt === undefined ? {} : { tokenExpiresAt: tokenEndsAt.toISOString() }),
})

/** The time zone of an ad account, which defines its days. */
const adTimezoneSchema = Joi.string()
  .max(100)
  .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('timezone.unknown')))
  .messages({ 'timezone.unknown': '{{#label}} must be the IANA name of a time zone, such as Europe/Paris' })

const shared = {
  route: 'GET /ad-accounts',
  permission: 'insights:read',
  answers: [200],
} as const

/** List the organization's ad accounts, by name (named by interface 4.2). Idempotent. */
export const listAdAccounts = operation({
  ...shared,
  operationId: 'listAdAccounts',
  summary: "List the organization's ad accounts.",
  description: 'Use it to find the adAccountId for the insights. Sorted by name. Costs one read.',
  surfaces: ['v1'],
  success: Joi.array().items(adAccountBody),
  handle: (call, context) => listAs(toAdAccountBody, call, context),
})

/** List the ad accounts for the people who connect them, and whether each is connected to the ad platform. Idempotent. */
export const listOrganizationAdAccounts = operation({
  ...shared,
  operationId: 'listOrganizationAdAccounts',
  summary: 'List the ad accounts of an organization, and whether each is connected to the ad platform.',
  description: 'Use it to find an account to connect: insights need an access token. Sorted by name. Costs one read.',
  success: Joi.array().items(connectedAdAccountBody),
  handle: (call, context) => listAs(toConnectedAdAccountBody, call, context),
})

async function listAs(
  toBody: (row: AdAccountRow) => object,
  { principal, meter }: Call,
  { database }: Context,
): Promise<Answer> {
  const rows = await listAdAccountRows(database, principal.organizationId)
  meter.rows = rows.length
  return ok(rows.map(toBody))
}

/**
 * Create an ad account. If its token is given, the token is checked with the platform and the account is connected. The
 * token is stored encrypted.
 */
export const createAdAccount = operation({
  operationId: 'createAdAccount',
  summary: 'Create an ad account, and connect it to the ad platform if an access token is given.',
  description:
    'Copy the id, currency and time zone from the ad platform. A token is checked with the platform before it is stored. Repeating the call returns 409. Costs a few calls to the platform for a token, and one small transaction.',
  route: 'POST /ad-accounts',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewAdAccount', {
    id: textOfForm(/^(act_)?\d{1,32}$/, 'digits, at most 32, with or without the prefix act_')
      .required()
      .description("The ad platform's id, with or without `act_`."),
    name: nameSchema.required(),
    currency: currencySchema.required().description('An ISO 4217 code, such as `EUR`.'),
    timezone: adTimezoneSchema.required().description('An IANA name, such as `Europe/Berlin`.'),
    accessToken: accessTokenSchema.description('The access token of the account.'),
    check: checkTokenSchema,
  }),
  success: connectedAdAccountBody,
  async handle({ body, principal }, context) {
    const { organizationId } = principal
    const { name, currency, timezone, accessToken, check = true } = body
    const id = toAdAccountId(body.id)
    const isChecked = accessToken !== undefined && check
    const endsAt = isChecked ? await checkAccountToken(context, id, accessToken) : undefined
    const sealed =
      accessToken === undefined ? null : context.sealer.seal(accessToken, accessTokenContext(organizationId, id))
    const row = { ad_account_id: id, name, currency, timezone, access_token_sealed: sealed }
    await changeAudited(context, principal, 'createAdAccount', async (tx, record) => {
      if (!(await insertAdAccount(tx, organizationId, row))) throw new ApiError('already_exists')
      await record('adAccount', id, { name, currency, timezone, connected: sealed !== null })
    })
    return created(toJustConnectedBody(row, endsAt))
  },
})

/**
 * Correct the facts of an ad account, connect it to the ad platform, replace its token, or disconnect it with null. A new
 * token is checked with the platform. Idempotent.
 */
export const updateAdAccount = operation({
  operationId: 'updateAdAccount',
  summary: 'Correct an ad account, or connect it to the ad platform with an access token; null disconnects it.',
  description:
    'Use it for an account without insights, for one whose token the platform refuses, or to correct a name, currency or time zone. A new token is checked with the platform before it is stored. Costs a few calls to the platform for a token, and one small transaction.',
  route: 'PATCH /ad-accounts/{adAccountId}',
  permission: 'settings:write',
  answers: [200, 400, 404],
  body: named(
    'AdAccountPatch',
    Joi.object({
      accessToken: accessTokenSchema
        .allow(null)
        .description('The new access token of the account; null removes the current one.'),
      check: checkTokenSchema,
      name: nameSchema,
      currency: currencySchema.description('An ISO 4217 code, such as `EUR`.'),
      timezone: adTimezoneSchema.description('An IANA name, such as `Europe/Berlin`.'),
    }).or('accessToken', 'name', 'currency', 'timezone'),
  ),
  success: connectedAdAccountBody,
  async handle({ params, body, principal }, context) {
    const { organizationId } = principal
    const id = toAdAccountId(params.adAccountId)
    if ((await findAdAccount(context.database, organizationId, id)) === undefined)
      throw new ApiError('ad_account_not_found')
    const { accessToken, check = true, ...facts } = body
    const isChecked = accessToken != null && check
    const endsAt = isChecked ? await checkAccountToken(context, id, accessToken) : undefined
    const row = await changeAudited(context, principal, 'updateAdAccount', async (tx, record) => {
      await updateAdAccountFacts(tx, organizationId, id, facts)
      if (accessToken !== undefined) {
        const sealed =
          accessToken === null ? null : context.sealer.seal(accessToken, accessTokenContext(organizationId, id))
        await setAdAccountToken(tx, organizationId, id, sealed)
      }
      const updated = await findAdAccount(tx, organizationId, id)
      if (updated === undefined) throw new ApiError('ad_account_not_found')
      await record('adAccount', id, {
        ...facts,
        ...(accessToken === undefined ? {} : { connected: accessToken !== null }),
      })
      return updated
    })
    return ok(toJustConnectedBody(row, endsAt))
  },
})

/** Delete an ad account with its access token. Its insights were never stored. */
export const deleteAdAccount = operation({
  operationId: 'deleteAdAccount',
  summary: 'Delete an ad account, with its access token.',
  description:
    'Its insights stay on the platform. You can create the account again, even with another currency or time zone. Costs one small transaction.',
  route: 'DELETE /ad-accounts/{adAccountId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: namedObject('AdAccountDeletion', { id: Joi.string().required() }),
  async handle({ params, principal }, context) {
    const id = toAdAccountId(params.adAccountId)
    await changeAudited(context, principal, 'deleteAdAccount', async (tx, record) => {
      const deleted = await deleteAdAccountRow(tx, principal.organizationId, id)
      if (deleted === undefined) throw new ApiError('ad_account_not_found')
      await record('adAccount', id, { name: deleted.name })
    })
    return ok({ id } satisfies AdAccountDeletion)
  },
})
