import { recordAudit } from '../access/audit.store.js'
import { ok, operation } from '../http/operation.js'
import { workspaceChannelParams } from '../http/params.js'
import { holdChannel, connectChannel as insertConnection } from './channels.store.js'
import { connectionBody } from './connection.js'

/** Connect a channel to a workspace. Idempotent. */
export const connectChannel = operation({
  operationId: 'connectChannel',
  summary: 'Connect a channel to a workspace.',
  description:
    'From then on GET /vip-users lists the audience of the channel for this workspace. Idempotent. Costs one small transaction.',
  method: 'PUT',
  path: '/workspaces/{workspaceId}/channels/{channelId}',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [200, 404],
  params: workspaceChannelParams,
  success: connectionBody,
  async handle({ params: { workspaceId, channelId }, principal }, { database, clock }) {
    const { organizationId } = principal
    await database.transaction(async (tx) => {
      await holdChannel(tx, organizationId, channelId, workspaceId)
      if (!(await insertConnection(tx, organizationId, workspaceId, channelId))) return
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'connectChannel',
        target: { type: 'connection', id: `${workspaceId}/${channelId}` },
      })
    })
    return ok({ workspaceId, channelId })
  },
})
