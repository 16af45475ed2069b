import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { ok, operatorOperation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema, type OrganizationParams } from '../http/params.js'
import type { PlatformToken } from '../interface/types.js'
import { toAdAccountId } from './ad-account-id.js'
import { accessTokenContext, findAdAccount, setAdAccountToken } from './ad-accounts.store.js'
import { checkAccountToken } from './check-account.js'
import { connectedAdAccountBody, toJustConnectedBody } from './connected-ad-account.js'

/**
 * Connect an ad account to the ad platform, replace its token, or with null disconnect it. The platform is asked about a
 * new token. Idempotent.
 */
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
  body: Joi.object<PlatformToken, true>({
    accessToken: accessTokenSchema.allow(null).required(),
    check: checkTokenSchema,
  }),
  success: connectedAdAccountBody,
  async handle({ params: { organizationId, adAccountId }, body }, { config, database, graph, sealer }) {
    await requireOrganization(database, organizationId)
    const id = toAdAccountId(adAccountId)
    if ((await findAdAccount(database, organizationId, id)) === undefined) throw new ApiError('ad_account_not_found')
    const { accessToken, check = true } = body
    const isChecked = accessToken !== null && check
    const endsAt = isChecked ? await checkAccountToken({ config, graph }, id, accessToken) : undefined
    const sealed = accessToken === null ? null : sealer.seal(accessToken, accessTokenContext(organizationId, id))
    const row = await setAdAccountToken(database, organizationId, id, sealed)
    if (row === undefined) throw new ApiError('ad_account_not_found')
    return ok(toJustConnectedBody(row, endsAt))
  },
})
