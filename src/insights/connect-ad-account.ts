import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { accessTokenSchema, checkTokenSchema } from '../http/params.js'
import type { PlatformToken } from '../interface/channels.js'
import { toAdAccountId } from './ad-account-id.js'
import { accessTokenContext, findAdAccount, setAdAccountToken } from './ad-accounts.store.js'
import { checkAccountToken } from './check-account.js'
import { connectedAdAccountBody, toJustConnectedBody } from './connected-ad-account.js'

/**
 * Connect an ad account to the ad platform, replace its token, or with null disconnect it. The platform is asked about a
 * new token. Idempotent.
 */
export const connectAdAccount = operation({
  operationId: 'connectAdAccount',
  summary: 'Connect an ad account to the ad platform with an access token, or disconnect it with null.',
  description:
    'For an account without insights, or one whose token the platform refuses. The platform is asked about a new token before it is stored. Costs a few calls of the platform for a token, and one small transaction.',
  method: 'PATCH',
  path: '/ad-accounts/{adAccountId}',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [200, 400, 404],
  params: Joi.object<{ adAccountId: string }, true>({ adAccountId: Joi.string().required() }),
  body: Joi.object<PlatformToken, true>({
    accessToken: accessTokenSchema.allow(null).required(),
    check: checkTokenSchema,
  }),
  success: connectedAdAccountBody,
  async handle({ params, body, principal }, context) {
    const { organizationId } = principal
    const id = toAdAccountId(params.adAccountId)
    if ((await findAdAccount(context.database, organizationId, id)) === undefined)
      throw new ApiError('ad_account_not_found')
    const { accessToken, check = true } = body
    const isChecked = accessToken !== null && check
    const endsAt = isChecked ? await checkAccountToken(context, id, accessToken) : undefined
    const sealed =
      accessToken === null ? null : context.sealer.seal(accessToken, accessTokenContext(organizationId, id))
    const row = await changeAudited(context, principal, 'connectAdAccount', async (tx, record) => {
      const updated = await setAdAccountToken(tx, organizationId, id, sealed)
      if (updated === undefined) throw new ApiError('ad_account_not_found')
      await record('adAccount', id, { connected: sealed !== null })
      return updated
    })
    return ok(toJustConnectedBody(row, endsAt))
  },
})
