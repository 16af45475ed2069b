import Joi from 'joi'
import { ApiError } from '../errors.js'
import { created, operatorOperation } from '../http/operation.js'
import { channelBody, toChannelBody } from '../workspaces/workspace.js'
import { type ChannelType, insertChannel } from '../workspaces/workspaces.store.js'
import { requireOrganization } from './organizations.store.js'
import { nameSchema, organizationParams } from './params.js'

interface CreateChannelBody {
  type: ChannelType
  platformId: string
  name: string
}

/** Create a channel; its id is made of its type and its id on the platform, such as `FB_PAGE_123456789012345`. */
export const createChannel = operatorOperation({
  operationId: 'createChannel',
  summary: 'Create a channel.',
  method: 'POST',
  path: '/organizations/{organizationId}/channels',
  answers: [201, 400, 401, 404, 409, 422],
  params: organizationParams,
  body: Joi.object<CreateChannelBody, true>({
    type: Joi.string<ChannelType>().valid('FB_PAGE', 'INSTAGRAM_ACCOUNT').required(),
    platformId: Joi.string()
      .pattern(/^\d{1,32}$/, 'digits')
      .required()
      .description('The id that the platform gives the page or account.'),
    name: nameSchema.required(),
  }),
  success: channelBody,
  async handle({ params, body }, { database }) {
    await requireOrganization(database, params.organizationId)
    const row = { channel_id: `${body.type}_${body.platformId}`, type: body.type, name: body.name }
    if (!(await insertChannel(database, params.organizationId, row))) throw new ApiError('already_exists')
    return created(toChannelBody(row))
  },
})
