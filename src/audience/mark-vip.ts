import { requireOrganization } from '../access/organizations.store.js'
import { vipMarkBody } from '../channels/connection.js'
import { requireVipChannel } from '../channels/require-vip-channel.js'
import { ok, operatorOperation } from '../http/operation.js'
import { conversationParams } from '../http/params.js'
import { changeVipMark, requireConversation } from './conversations.store.js'

/** Mark a conversation as a VIP of a workspace (interface 4.1: scope `vip`). Idempotent. */
export const markVip = operatorOperation({
  operationId: 'markVip',
  summary: 'Mark a conversation as a VIP of a workspace.',
  method: 'PUT',
  path: '/organizations/{organizationId}/workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  answers: [200, 400, 401, 404, 422],
  params: conversationParams,
  success: vipMarkBody,
  async handle({ params: { organizationId, workspaceId, channelId, conversationId } }, { database }) {
    await requireOrganization(database, organizationId)
    await requireVipChannel(database, organizationId, workspaceId, channelId)
    await requireConversation(database, organizationId, channelId, conversationId)
    const target = { organizationId, channelId, workspaceId }
    await database.transaction((tx) => changeVipMark(tx, target, conversationId, true))
    return ok({ workspaceId, channelId, conversationId, vip: true })
  },
})
