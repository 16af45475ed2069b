import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { workspaceChannelParams } from '../http/params.js'
import { connectChannel as insertConnection, requireChannel, requireWorkspace } from './channels.store.js'
import { connectionBody } from './connection.js'

/** Connect a channel to a workspace. Idempotent. */
export const connectChannel = operatorOperation({
  operationId: 'connectChannel',
  summary: 'Connect a channel to a workspace.',
  method: 'PUT',
  path: '/organizations/{organizationId}/workspaces/{workspaceId}/channels/{channelId}',
  answers: [200, 401, 404, 422],
  params: workspaceChannelParams,
  success: connectionBody,
  async handle({ params: { organizationId, workspaceId, channelId } }, { database }) {
    await requireOrganization(database, organizationId)
    await requireWorkspace(database, organizationId, workspaceId)
    await requireChannel(database, organizationId, channelId)
    await insertConnection(database, organizationId, workspaceId, channelId)
    return ok({ workspaceId, channelId })
  },
})
