import Joi from 'joi'

/** A workspace and a channel: `{workspaceId, channelId}`. */
export const connectionBody = Joi.object({
  workspaceId: Joi.string().required(),
  channelId: Joi.string().required(),
})

/** Whether a workspace holds a conversation for a VIP: `{workspaceId, channelId, conversationId, vip}`. */
export const vipMarkBody = Joi.object({
  workspaceId: Joi.string().required(),
  channelId: Joi.string().required(),
  conversationId: Joi.string().required(),
  vip: Joi.boolean().required(),
})
