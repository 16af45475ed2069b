import Joi from 'joi'
import { okList, operation } from '../http/operation.js'
import { channelBody, organizationChannelBody, toChannelBody, toOrganizationChannelBody } from './channel.js'
import { listChannelRows, listOrganizationChannelRows, requireWorkspace } from './channels.store.js'

const shared = {
  route: 'GET /channels',
  permission: 'channels:read',
  answers: [200, 404],
  query: Joi.object({
    workspaceId: Joi.string().description('Only channels connected to this workspace.'),
  }),
} as const

/** List the organization's channels, or those connected to one workspace, by name (named by interface 4.1). Idempotent. */
export const listChannels = operation({
  ...shared,
  operationId: 'listChannels',
  summary: "List the organization's channels, or those connected to one workspace.",
  description:
    'For the channel id (mediumId) of other calls, and for the status of each connection: a post is published only on a connected channel. By name. Costs one read.',
  surfaces: ['v1'],
  success: Joi.array().items(channelBody),
  async handle({ query: { workspaceId }, principal: { organizationId }, meter }, { database }) {
    if (workspaceId !== undefined) await requireWorkspace(database, organizationId, workspaceId)
    return okList(meter, await listChannelRows(database, organizationId, workspaceId), toChannelBody)
  },
})

/** The same, with the subscription of each to what its platform sends. Idempotent. */
export const listOrganizationChannels = operation({
  ...shared,
  operationId: 'listOrganizationChannels',
  summary: "List the organization's channels, or those connected to one workspace, with what each lacks.",
  description:
    'For the channel id (mediumId) of other calls, for the status of each connection (a post is published only on a connected channel), and for whether messages and comments of a channel arrive. By name. Costs one read.',
  success: Joi.array().items(organizationChannelBody),
  async handle({ query: { workspaceId }, principal: { organizationId }, meter }, { database }) {
    if (workspaceId !== undefined) await requireWorkspace(database, organizationId, workspaceId)
    const rows = await listOrganizationChannelRows(database, organizationId, workspaceId)
    return okList(meter, rows, toOrganizationChannelBody)
  },
})
