import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { created, operatorOperation } from '../http/operation.js'
import { accessTokenSchema, nameSchema, organizationParams } from '../http/params.js'
import type { ChannelType, NewChannel } from '../interface/channels.js'
import { channelBody, toChannelBody } from './channel.js'
import { channelTokenContext, insertChannel } from './channels.store.js'

/**
 * Create a channel, connected to its platform when its page's access token is given. Its id is made of its type and its
 * id on the platform, such as `FB_PAGE_123456789012345`. The token rests sealed.
 */
export const createChannel = operatorOperation({
  operationId: 'createChannel',
  summary: 'Create a channel, connected to its platform when its access token is given.',
  method: 'POST',
  path: '/organizations/{organizationId}/channels',
  answers: [201, 400, 401, 404, 409, 422],
  params: organizationParams,
  body: Joi.object<NewChannel, true>({
    type: Joi.string<ChannelType>().valid('FB_PAGE', 'INSTAGRAM_ACCOUNT').required(),
    platformId: Joi.string()
      .pattern(/^\d{1,32}$/, 'digits')
      .required()
      .description('The id that the platform gives the page or account.'),
    name: nameSchema.required(),
    accessToken: accessTokenSchema.description(
      'The access token of the page, or of the page of the Instagram account.',
    ),
  }),
  success: channelBody,
  async handle({ params: { organizationId }, body }, { database, sealer }) {
    await requireOrganization(database, organizationId)
    const { type, platformId, name, accessToken } = body
    const channel_id = `${type}_${platformId}`
    const sealed =
      accessToken === undefined ? null : sealer.seal(accessToken, channelTokenContext(organizationId, channel_id))
    const row = { channel_id, type, name, access_token_sealed: sealed, token_problem: null }
    if (!(await insertChannel(database, organizationId, row, sealed))) throw new ApiError('already_exists')
    return created(toChannelBody(row))
  },
})
