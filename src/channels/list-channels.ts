import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { ChannelQuery } from '../interface/channels.js'
import { channelBody, toChannelBody } from './channel.js'
import { listChannelRows, requireWorkspace } from './channels.store.js'

/** List the organization's channels, or those connected to one workspace, by name (named by interface 4.1). Idempotent. */
export const listChannels = operation({
  operationId: 'listChannels',
  summary: "List the organization's channels, or those connected to one workspace.",
  method: 'GET',
  path: '/channels',
  answers: [200, 400, 402, 403, 404, 422],
  query: Joi.object<ChannelQuery, true>({
    workspaceId: Joi.string().description('Only channels connected to this workspace.'),
  }),
  success: Joi.array().items(channelBody),
  async handle({ query, principal, meter }, { database }) {
    const { organizationId } = principal
    if (query.workspaceId !== undefined) await requireWorkspace(database, organizationId, query.workspaceId)
    const rows = await listChannelRows(database, organizationId, query.workspaceId)
    meter.rows = rows.length
    return ok(rows.map(toChannelBody))
  },
})
