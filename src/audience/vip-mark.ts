import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { holdChannel, holdConnection } from '../channels/channels.store.js'
import type { Context } from '../http/context.js'
import type { Principal } from '../http/principal.js'
import type { VipMark } from '../interface/audience.js'
import { holdConversation, setVipMarks } from './conversations.store.js'

/** The VIP mark of a conversation for a workspace: `{workspaceId, channelId, conversationId, vip}`. */
export const vipMarkBody = Joi.object<VipMark, true>({
  workspaceId: Joi.string().required(),
  channelId: Joi.string().required(),
  conversationId: Joi.string().required(),
  vip: Joi.boolean().required(),
})

/**
 * Marks, or unmarks, a conversation as a VIP of the workspace. Throws conversation_not_found, channel_not_found,
 * channel_not_connected.
 */
export async function setVipMark(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  principal: Principal,
  { workspaceId, channelId, conversationId, vip }: VipMark,
): Promise<VipMark> {
  const { organizationId } = principal
  await database.transaction(async (tx) => {
    await holdChannel(tx, organizationId, channelId)
    await holdConnection(tx, organizationId, workspaceId, channelId)
    await holdConversation(tx, organizationId, channelId, conversationId)
    const changed = await setVipMarks(tx, { organizationId, channelId, workspaceId }, [conversationId], vip)
    if (changed === 0) return
    await recordAudit(tx, {
      principal,
      at: new Date(clock.now()),
      operation: vip ? 'markVip' : 'unmarkVip',
      target: { type: 'vipMark', id: `${workspaceId}/${channelId}/${conversationId}` },
    })
  })
  return { workspaceId, channelId, conversationId, vip }
}
