import Joi from 'joi'
import type { Channel, Workspace } from '../interface/channels.js'
import type { PlatformChannelRow, WorkspaceRow } from './channels.store.js'

/** A workspace as it goes out: `{id, name, type}`. */
export const workspaceBody = Joi.object<Workspace, true>({
  id: Joi.string().required(),
  name: Joi.string().required(),
  type: Joi.string().valid('VIP', 'STANDARD').required(),
})

export const toWorkspaceBody = (row: WorkspaceRow): Workspace => ({
  id: row.workspace_id,
  name: row.name,
  type: row.type,
})

/**
 * A channel as it goes out: `{id, type, name, status}`, and the platform's reason as `problem` when it must be connected
 * to its platform again. A post is published on a connected channel alone.
 */
export const channelBody = Joi.object<Channel, true>({
  id: Joi.string().required(),
  type: Joi.string().valid('FB_PAGE', 'INSTAGRAM_ACCOUNT').required(),
  name: Joi.string().required(),
  status: Joi.string().valid('connected', 'not-connected', 'needs-reconnect').required(),
  problem: Joi.string().description("The platform's reason, with status `needs-reconnect` alone."),
  tokenExpiresAt: Joi.string().description('When the access token ends; only in the answer to connecting the channel.'),
})

export const toChannelBody = (row: PlatformChannelRow): Channel => ({
  id: row.channel_id,
  type: row.type,
  name: row.name,
  ...toConnectionStatus(row),
})

/** The same for who has just connected it. */
export const toJustConnectedBody = (row: PlatformChannelRow, tokenEndsAt: Date | undefined): Channel => ({
  ...toChannelBody(row),
  ...(tokenEndsAt === undefined ? {} : { tokenExpiresAt: tokenEndsAt.toISOString() }),
})

function toConnectionStatus({
  access_token_sealed: token,
  token_problem: problem,
}: PlatformChannelRow): Pick<Channel, 'status' | 'problem'> {
  if (token === null) return { status: 'not-connected' }
  return problem === null ? { status: 'connected' } : { status: 'needs-reconnect', problem }
}
