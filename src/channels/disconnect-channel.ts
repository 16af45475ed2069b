import { recordAudit } from '../access/audit.store.js'
import { ok, operation } from '../http/operation.js'
import { workspaceChannelParams } from '../http/params.js'
import { disconnectChannel as deleteConnection, requireChannel, requireWorkspace } from './channels.store.js'
import { connectionBody } from './connection.js'

/** Disconnect a channel from a workspace; the workspace's VIP marks on it go too. Idempotent. */
export const disconnectChannel = operation({
  operationId: 'disconnectChannel',
  summary: "Disconnect a channel from a workspace, which removes the workspace's VIP marks on it.",
  description:
    "For a channel that the workspace no longer works with. The conversations stay; the workspace's VIP marks on the channel do not come back by connecting it again. Idempotent. Costs one transaction that deletes the marks.",
  method: 'DELETE',
  path: '/workspaces/{workspaceId}/channels/{channelId}',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [200, 404],
  params: workspaceChannelParams,
  success: connectionBody,
  async handle({ params: { workspaceId, channelId }, principal }, { database, clock }) {
    const { organizationId } = principal
    await requireWorkspace(database, organizationId, workspaceId)
    await requireChannel(database, organizationId, channelId)
    await database.transaction(async (tx) => {
      if (!(await deleteConnection(tx, organizationId, workspaceId, channelId))) return
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'disconnectChannel',
        target: { type: 'connection', id: `${workspaceId}/${channelId}` },
      })
    })
    return ok({ workspaceId, channelId })
  },
})
