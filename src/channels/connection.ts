import Joi from 'joi'
import type { Connection } from '../interface/channels.js'

/** A workspace and a channel: `{workspaceId, channelId}`. */
export const connectionBody = Joi.object<Connection, true>({
  workspaceId: Joi.string().required(),
  channelId: Joi.string().required(),
})
