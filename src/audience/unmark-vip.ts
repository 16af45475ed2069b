import { requireVipChannel } from '../channels/require-vip-channel.js'
import { ok, operation } from '../http/operation.js'
import { conversationParams } from '../http/params.js'
import { setVipMark, vipMarkBody } from './vip-mark.js'

/** Take a conversation's mark as a VIP of a workspace away. Idempotent. */
export const unmarkVip = operation({
  operationId: 'unmarkVip',
  summary: "Take a conversation's mark as a VIP of a workspace away.",
  description:
    'The next GET /vip-users with scope `vip` shows it, on every node; the conversation stays. Idempotent. Costs one small transaction.',
  method: 'DELETE',
  path: '/workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  surfaces: ['operator', 'console'],
  permission: 'audience:mark',
  answers: [200, 400, 404],
  params: conversationParams,
  success: vipMarkBody,
  async handle({ params, principal }, context) {
    const { workspaceId, channelId } = params
    await requireVipChannel(context.database, principal.organizationId, workspaceId, channelId)
    return ok(await setVipMark(context, principal, { ...params, vip: false }))
  },
})
