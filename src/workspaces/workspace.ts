import Joi from 'joi'
import type { ChannelRow, WorkspaceRow } from './workspaces.store.js'

/** A workspace as it goes out: `{id, name, type}`. */
export const workspaceBody = Joi.object({
  id: Joi.string().required(),
  name: Joi.string().required(),
  type: Joi.string().valid('VIP', 'STANDARD').required(),
})

export const toWorkspaceBody = (row: WorkspaceRow) => ({ id: row.workspace_id, name: row.name, type: row.type })

/** A channel as it goes out: `{id, type, name}`. */
export const channelBody = Joi.object({
  id: Joi.string().required(),
  type: Joi.string().valid('FB_PAGE', 'INSTAGRAM_ACCOUNT').required(),
  name: Joi.string().required(),
})

export const toChannelBody = (row: ChannelRow) => ({ id: row.channel_id, type: row.type, name: row.name })
