import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { created, operatorOperation } from '../http/operation.js'
import { accessTokenSchema, nameSchema, organizationParams } from '../http/params.js'
import type { NewAdAccount } from '../interface/insights.js'
import { accessTokenContext, insertAdAccount } from './ad-accounts.store.js'
import { connectedAdAccountBody, toConnectedAdAccountBody } from './connected-ad-account.js'

/** Create an ad account, connected to the ad platform when its token is given. The token rests sealed. */
export const createAdAccount = operatorOperation({
  operationId: 'createAdAccount',
  summary: 'Create an ad account, connected to the ad platform when its access token is given.',
  method: 'POST',
  path: '/organizations/{organizationId}/ad-accounts',
  answers: [201, 400, 401, 404, 409, 422],
  params: organizationParams,
  body: Joi.object<NewAdAccount, true>({
    id: Joi.string()
      .pattern(/^(act_)?\d{1,32}$/, 'digits')
      .required()
      .description("The ad platform's id, with or without `act_`."),
    name: nameSchema.required(),
    currency: Joi.string()
      .pattern(/^[A-Z]{3}$/, 'ISO 4217 code')
      .required()
      .description('ISO 4217, such as `EUR`.'),
    timezone: Joi.string().custom(checkTimezone).required().description('IANA, such as `Europe/Berlin`.'),
    accessToken: accessTokenSchema,
  }),
  success: connectedAdAccountBody,
  async handle({ params: { organizationId }, body }, { database, sealer }) {
    await requireOrganization(database, organizationId)
    const { name, currency, timezone, accessToken } = body
    const id = body.id.replace(/^act_/, '')
    const sealed = accessToken === undefined ? null : sealer.seal(accessToken, accessTokenContext(organizationId, id))
    const row = { ad_account_id: id, name, currency, timezone, access_token_sealed: sealed }
    if (!(await insertAdAccount(database, organizationId, row))) throw new ApiError('already_exists')
    return created(toConnectedAdAccountBody(row))
  },
})

function checkTimezone(value: string): string {
  // Some engines take an offset such as +02:00 for a time zone, which knows nothing of summer.
  if (!/^[A-Za-z]/.test(value)) throw new Error('not an IANA time zone')
  new Intl.DateTimeFormat('en', { timeZone: value })
  return value
}
