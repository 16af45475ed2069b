import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { ok, operatorOperation } from '../http/operation.js'
import { accessTokenSchema, channelParams, checkTokenSchema } from '../http/params.js'
import type { PlatformToken } from '../interface/types.js'
import { channelBody, toJustConnectedBody } from './channel.js'
import { channelTokenContext, findChannelToken, setChannelToken } from './channels.store.js'
import { checkChannelToken } from './check-token.js'

/**
 * Connect a channel to its platform, replace its token, or with null disconnect it. The platform is asked about a new
 * token, which takes away what was wrong with the one before. Idempotent.
 */
export const updateChannel = operatorOperation({
  operationId: 'updateChannel',
  summary: "Connect a channel to its platform with its page's access token, or disconnect it with null.",
  method: 'PATCH',
  path: '/organizations/{organizationId}/channels/{channelId}',
  answers: [200, 400, 401, 404, 422],
  params: channelParams,
  body: Joi.object<PlatformToken, true>({
    accessToken: accessTokenSchema.allow(null).required(),
    check: checkTokenSchema,
  }),
  success: channelBody,
  async handle({ params: { organizationId, channelId }, body }, { config, database, graph, sealer }) {
    await requireOrganization(database, organizationId)
    const channel = await findChannelToken(database, organizationId, channelId)
    if (channel === undefined) throw new ApiError('channel_not_found')
    const { accessToken, check = true } = body
    const target = { type: channel.type, platformId: channelId.slice(`${channel.type}_`.length) }
    const isChecked = accessToken !== null && check
    const endsAt = isChecked ? await checkChannelToken({ config, graph }, target, accessToken) : undefined
    const sealed =
      accessToken === null ? null : sealer.seal(accessToken, channelTokenContext(organizationId, channelId))
    const row = await setChannelToken(database, organizationId, channelId, sealed)
    if (row === undefined) throw new ApiError('channel_not_found')
    return ok(toJustConnectedBody(row, endsAt))
  },
})
