import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { requireChannel } from '../channels/channels.store.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { deleteConversationRow } from './conversations.store.js'

/** Delete one conversation, with its VIP marks. An import may bring it back. */
export const deleteConversation = operation({
  operationId: 'deleteConversation',
  summary: 'Delete one conversation of a channel, with its VIP marks.',
  description:
    'For a conversation that is on the channel by mistake. An import brings it back: to remove a person for good, erase the person. Costs one small transaction.',
  route: 'DELETE /channels/{channelId}/conversations/{conversationId}',
  permission: 'audience:write',
  answers: [200, 404],
  success: namedObject('DeletedConversation', {
    channelId: Joi.string().required(),
    conversationId: Joi.string().required(),
  }),
  async handle({ params: { channelId, conversationId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteConversation', async (tx, record) => {
      await requireChannel(tx, organizationId, channelId)
      const isThere = await deleteConversationRow(tx, organizationId, channelId, conversationId)
      if (!isThere) throw new ApiError('conversation_not_found')
      await record('conversation', `${channelId}/${conversationId}`)
    })
    return ok({ channelId, conversationId })
  },
})
