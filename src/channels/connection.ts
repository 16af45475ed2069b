import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import {
  disconnectChannel as deleteConnection,
  holdChannel,
  holdWorkspace,
  connectChannel as insertConnection,
  requireChannel,
  requireWorkspace,
} from './channels.store.js'

const shared = {
  permission: 'settings:write',
  answers: [200, 404],
  success: namedObject('Connection', {
    workspaceId: Joi.string().required(),
    channelId: Joi.string().required(),
  }),
} as const

/** Connect a channel to a workspace. Idempotent. */
export const connectChannel = operation({
  ...shared,
  operationId: 'connectChannel',
  summary: 'Connect a channel to a workspace.',
  description:
    'From then on GET /vip-users lists the audience of the channel for this workspace. Idempotent. Costs one small transaction.',
  route: 'PUT /workspaces/{workspaceId}/channels/{channelId}',
  async handle({ params: { workspaceId, channelId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'connectChannel', async (tx, record) => {
      await holdWorkspace(tx, organizationId, workspaceId)
      await holdChannel(tx, organizationId, channelId)
      const isNew = await insertConnection(tx, organizationId, workspaceId, channelId)
      if (isNew) await record('connection', `${workspaceId}/${channelId}`)
    })
    return ok({ workspaceId, channelId })
  },
})

/** Disconnect a channel from a workspace; the workspace's VIP marks on it go too. Idempotent. */
export const disconnectChannel = operation({
  ...shared,
  operationId: 'disconnectChannel',
  summary: "Disconnect a channel from a workspace, which removes the workspace's VIP marks on it.",
  description:
    "For a channel that the workspace no longer works with. The conversations stay; the workspace's VIP marks on the channel do not come back by connecting it again. Idempotent. Costs one transaction that deletes the marks.",
  route: 'DELETE /workspaces/{workspaceId}/channels/{channelId}',
  async handle({ params: { workspaceId, channelId }, principal }, context) {
    const { organizationId } = principal
    await requireWorkspace(context.database, organizationId, workspaceId)
    await requireChannel(context.database, organizationId, channelId)
    await changeAudited(context, principal, 'disconnectChannel', async (tx, record) => {
      const wasThere = await deleteConnection(tx, organizationId, workspaceId, channelId)
      if (wasThere) await record('connection', `${workspaceId}/${channelId}`)
    })
    return ok({ workspaceId, channelId })
  },
})
