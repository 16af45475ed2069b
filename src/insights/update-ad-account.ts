import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { ApiError } from '../errors.js'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, currencySchema, nameSchema } from '../http/params.js'
import type { AdAccountDeletion } from '../interface/generated/types.js'
import { toAdAccountId } from './ad-account-id.js'
import {
  accessTokenContext,
  deleteAdAccountRow,
  findAdAccount,
  setAdAccountToken,
  updateAdAccountFacts,
} from './ad-accounts.store.js'
import { checkAccountToken } from './check-account.js'
import { adTimezoneSchema, connectedAdAccountBody, toJustConnectedBody } from './connected-ad-account.js'

/**
 * Correct what is said of an ad account, connect it to the ad platform, replace its token, or with null disconnect it. The
 * platform is asked about a new token. Idempotent.
 */
export const updateAdAccount = operation({
  operationId: 'updateAdAccount',
  summary: 'Correct an ad account, or connect it to the ad platform with an access token; null disconnects it.',
  description:
    'For an account without insights, one whose token the platform refuses, or one whose name, currency or time zone was given wrong. The platform is asked about a new token before it is stored. Costs a few calls of the platform for a token, and one small transaction.',
  route: 'PATCH /ad-accounts/{adAccountId}',
  permission: 'settings:write',
  answers: [200, 400, 404],
  body: named(
    'AdAccountPatch',
    Joi.object({
      accessToken: accessTokenSchema
        .allow(null)
        .description('The access token of the account, in place of the present one; null removes it.'),
      check: checkTokenSchema,
      name: nameSchema,
      currency: currencySchema.description('ISO 4217, such as `EUR`.'),
      timezone: adTimezoneSchema.description('IANA, such as `Europe/Berlin`.'),
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
    'Its insights are on the platform and stay there. It can be created again, with another currency or time zone too. Costs one small transaction.',
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
