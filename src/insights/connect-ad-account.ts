import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { ok, operatorOperation } from '../http/operation.js'
import { accessTokenSchema, type OrganizationParams } from '../http/params.js'
import type { PlatformToken } from '../interface/channels.js'
import { accessTokenContext, setAdAccountToken } from './ad-accounts.store.js'
import { connectedAdAccountBody, toConnectedAdAccountBody } from './connected-ad-account.js'

/** Connect an ad account to the ad platform, replace its token, or with null disconnect it. Idempotent. */
export const connectAdAccount = operatorOperation({
  operationId: 'connectAdAccount',
  summary: 'Connect an ad account to the ad platform with an access token, or disconnect it with null.',
  method: 'PATCH',
  path: '/organizations/{organizationId}/ad-accounts/{adAccountId}',
  answers: [200, 400, 401, 404, 422],
  params: Joi.object<OrganizationParams & { adAccountId: string }, true>({
    organizationId: Joi.string().required(),
    adAccountId: Joi.string().required(),
  }),
  body: Joi.object<PlatformToken, true>({ accessToken: accessTokenSchema.allow(null).required() }),
  success: connectedAdAccountBody,
  async handle({ params: { organizationId, adAccountId }, body: { accessToken } }, { database, sealer }) {
    await requireOrganization(database, organizationId)
    const id = adAccountId.replace(/^act_/, '')
    const sealed = accessToken === null ? null : sealer.seal(accessToken, accessTokenContext(organizationId, id))
    const row = await setAdAccountToken(database, organizationId, id, sealed)
    if (row === undefined) throw new ApiError('ad_account_not_found')
    return ok(toConnectedAdAccountBody(row))
  },
})
