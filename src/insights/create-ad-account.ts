import { changeAudited } from '../access/audited-change.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { created, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, currencySchema, nameSchema, textOfForm } from '../http/params.js'
import { toAdAccountId } from './ad-account-id.js'
import { accessTokenContext, insertAdAccount } from './ad-accounts.store.js'
import { checkAccountToken } from './check-account.js'
import { adTimezoneSchema, connectedAdAccountBody, toJustConnectedBody } from './connected-ad-account.js'

/**
 * Create an ad account, connected to the ad platform when its token is given, which the platform is asked about. The
 * token rests sealed.
 */
export const createAdAccount = operation({
  operationId: 'createAdAccount',
  summary: 'Create an ad account, connected to the ad platform when its access token is given.',
  description:
    'The id, currency and time zone are those that the ad platform shows; it is asked about a token before that is stored. A repeat answers 409. Costs a few calls of the platform for a token, and one small transaction.',
  route: 'POST /ad-accounts',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewAdAccount', {
    id: textOfForm(/^(act_)?\d{1,32}$/, 'digits, at most 32, with or without act_ before them')
      .required()
      .description("The ad platform's id, with or without `act_`."),
    name: nameSchema.required(),
    currency: currencySchema.required().description('ISO 4217, such as `EUR`.'),
    timezone: adTimezoneSchema.required().description('IANA, such as `Europe/Berlin`.'),
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
