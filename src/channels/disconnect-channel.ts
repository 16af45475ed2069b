import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { workspaceChannelParams } from '../http/params.js'
import { disconnectChannel as deleteConnection, requireChannel, requireWorkspace } from './channels.store.js'
import { connectionBody } from './connection.js'

/** Disconnect a channel from a workspace; the workspace's VIP marks on it go too. Idempotent. */
export const disconnectChannel = operatorOperation({
  operationId: 'disconnectChannel',
  summary: "Disconnect a channel from a workspace, which removes the workspace's VIP marks on it.",
  method: 'DELETE',
  path: '/organizations/{organizationId}/workspaces/{workspaceId}/channels/{channelId}',
  answers: [200, 401, 404, 422],
  params: workspaceChannelParams,
  success: connectionBody,
  async handle({ params: { organizationId, workspaceId, channelId } }, { database }) {
    await requireOrganization(database, organizationId)
    await requireWorkspace(database, organizationId, workspaceId)
    await requireChannel(database, organizationId, channelId)
    await database.transaction((tx) => deleteConnection(tx, organizationId, workspaceId, channelId))
    return ok({ workspaceId, channelId })
  },
})
