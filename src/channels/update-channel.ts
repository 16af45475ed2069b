import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { ok, operatorOperation } from '../http/operation.js'
import { accessTokenSchema, channelParams } from '../http/params.js'
import type { PlatformToken } from '../interface/channels.js'
import { channelBody, toChannelBody } from './channel.js'
import { channelTokenContext, setChannelToken } from './channels.store.js'

/**
 * Connect a channel to its platform, replace its token, or with null disconnect it. A new token takes away what was wrong
 * with the one before. Idempotent.
 */
export const updateChannel = operatorOperation({
  operationId: 'updateChannel',
  summary: "Connect a channel to its platform with its page's access token, or disconnect it with null.",
  method: 'PATCH',
  path: '/organizations/{organizationId}/channels/{channelId}',
  answers: [200, 400, 401, 404, 422],
  params: channelParams,
  body: Joi.object<PlatformToken, true>({ accessToken: accessTokenSchema.allow(null).required() }),
  success: channelBody,
  async handle({ params: { organizationId, channelId }, body: { accessToken } }, { database, sealer }) {
    await requireOrganization(database, organizationId)
    const sealed =
      accessToken === null ? null : sealer.seal(accessToken, channelTokenContext(organizationId, channelId))
    const row = await setChannelToken(database, organizationId, channelId, sealed)
    if (row === undefined) throw new ApiError('channel_not_found')
    return ok(toChannelBody(row))
  },
})
