import { requireVipChannel } from '../channels/require-vip-channel.js'
import { ok, operation } from '../http/operation.js'
import { conversationParams } from '../http/params.js'
import { setVipMark, vipMarkBody } from './vip-mark.js'

/** Mark a conversation as a VIP of a workspace (interface 4.1: scope `vip`). Idempotent. */
export const markVip = operation({
  operationId: 'markVip',
  summary: 'Mark a conversation as a VIP of a workspace.',
  description:
    'For a single person; an import marks many at once. The next GET /vip-users shows it, on every node. Idempotent. Costs one small transaction.',
  method: 'PUT',
  path: '/workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  surfaces: ['operator', 'console'],
  permission: 'audience:mark',
  answers: [200, 400, 404],
  params: conversationParams,
  success: vipMarkBody,
  async handle({ params, principal }, context) {
    const { workspaceId, channelId } = params
    await requireVipChannel(context.database, principal.organizationId, workspaceId, channelId)
    return ok(await setVipMark(context, principal, { ...params, vip: true }))
  },
})
