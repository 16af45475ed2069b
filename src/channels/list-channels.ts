import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { ChannelQuery } from '../interface/channels.js'
import { channelBody, toChannelBody } from './channel.js'
import { listChannelRows, requireWorkspace } from './channels.store.js'

/** List the organization's channels, or those connected to one workspace, by name (named by interface 4.1). Idempotent. */
export const listChannels = operation({
  operationId: 'listChannels',
  summary: "List the organization's channels, or those connected to one workspace.",
  description:
    'For the channel id (mediumId) of other calls, and for the status of each connection: a post is published on a connected channel alone. By name. Costs one read.',
  method: 'GET',
  path: '/channels',
  surfaces: ['v1', 'operator', 'console'],
  permission: 'channels:read',
  answers: [200, 404],
  query: Joi.object<ChannelQuery, true>({
    workspaceId: Joi.string().description('Only channels connected to this workspace.'),
  }),
  success: Joi.array().items(channelBody),
  async handle({ query: { workspaceId }, principal: { organizationId }, meter }, { database }) {
    if (workspaceId !== undefined) await requireWorkspace(database, organizationId, workspaceId)
    const rows = await listChannelRows(database, organizationId, workspaceId)
    meter.rows = rows.length
    return ok(rows.map(toChannelBody))
  },
})
