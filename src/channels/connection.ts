import Joi from 'joi'
import type { VipMark } from '../interface/audience.js'
import type { Connection } from '../interface/channels.js'

/** A workspace and a channel: `{workspaceId, channelId}`. */
export const connectionBody = Joi.object<Connection, true>({
  workspaceId: Joi.string().required(),
  channelId: Joi.string().required(),
})

/** Whether a workspace holds a conversation for a VIP: `{workspaceId, channelId, conversationId, vip}`. */
export const vipMarkBody = Joi.object<VipMark, true>({
  workspaceId: Joi.string().required(),
  channelId: Joi.string().required(),
  conversationId: Joi.string().required(),
  vip: Joi.boolean().required(),
})
