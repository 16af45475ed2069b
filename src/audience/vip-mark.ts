import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { holdChannelRoles } from '../access/hold-rights.js'
import { holdChannel, holdConnection } from '../channels/channels.store.js'
import { requireVipChannel } from '../channels/require-vip.js'
import type { Context } from '../http/context.js'
import { namedObject } from '../http/named.js'
import { type Call, ok, operation } from '../http/operation.js'
import type { VipMark } from '../interface/generated/types.js'
import { holdConversation, setVipMarks } from './conversations.store.js'

const shared = {
  permission: 'audience:mark',
  inChannels: 'checked',
  answers: [200, 400, 404],
  success: namedObject('VipMark', {
    workspaceId: Joi.string().required(),
    channelId: Joi.string().required(),
    conversationId: Joi.string().required(),
    vip: Joi.boolean().required(),
  }),
} as const

/** Mark a conversation as a VIP of a workspace (interface 4.1: scope `vip`). Idempotent. */
export const markVip = operation({
  ...shared,
  operationId: 'markVip',
  summary: 'Mark a conversation as a VIP of a workspace.',
  description:
    'For a single person; an import marks many at once. The next GET /vip-users shows it, on every node. Idempotent. Costs one small transaction.',
  route: 'PUT /workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  handle: async (call, context) => ok(await setVipMark(call, context, true)),
})

/** Take a conversation's mark as a VIP of a workspace away. Idempotent. */
export const unmarkVip = operation({
  ...shared,
  operationId: 'unmarkVip',
  summary: "Take a conversation's mark as a VIP of a workspace away.",
  description:
    'The next GET /vip-users with scope `vip` shows it, on every node; the conversation stays. Idempotent. Costs one small transaction.',
  route: 'DELETE /workspaces/{workspaceId}/channels/{channelId}/vips/{conversationId}',
  handle: async (call, context) => ok(await setVipMark(call, context, false)),
})

async function setVipMark(
  { params, principal }: Call<Omit<VipMark, 'vip'>>,
  context: Context,
  vip: boolean,
): Promise<VipMark> {
  const { organizationId } = principal
  const { workspaceId, channelId, conversationId } = params
  await requireVipChannel(context.database, organizationId, workspaceId, channelId)
  await changeAudited(context, principal, vip ? 'markVip' : 'unmarkVip', async (tx, record) => {
    const checkChannels = await holdChannelRoles(tx, principal, 'audience:mark')
    checkChannels([{ channel_id: channelId }])
    await holdChannel(tx, organizationId, channelId)
    await holdConnection(tx, organizationId, workspaceId, channelId)
    await holdConversation(tx, organizationId, channelId, conversationId)
    const target = { organizationId, channelId, workspaceId, at: new Date(context.clock.now()), actor: principal.actor }
    const changed = await setVipMarks(tx, target, [conversationId], vip)
    if (changed.length > 0) await record('vipMark', `${workspaceId}/${channelId}/${conversationId}`)
  })
  return { workspaceId, channelId, conversationId, vip }
}
