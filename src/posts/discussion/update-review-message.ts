import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { type Answer, ok, operation } from '../../http/operation.js'
import { pathParams } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import { requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { requireLinkedPost } from '../review-links/review-link.js'
import { editMessage } from './change-message.js'
import { textSchema } from './message.js'
import { linkedMessageParams, reviewMessageBody, toReviewMessages } from './review-message.js'

const shared = {
  method: 'PATCH',
  surfaces: ['review'],
  permission: 'review',
  answers: [200, 400, 403, 404],
  body: namedObject('ReviewMessagePatch', { text: textSchema }),
  success: reviewMessageBody,
} as const

/** Change a message that one has written with the link. Idempotent. */
export const updateReviewMessage = operation({
  ...shared,
  operationId: 'updateReviewMessage',
  summary: 'Change a message about the post of a link that was written with this link.',
  description:
    'For a mistake in a text: the message then says that it was edited. What another link wrote stays. Costs one small transaction.',
  path: '/discussion/{messageId}',
  params: pathParams('messageId'),
  handle: ({ params: { messageId }, body: { text }, principal }, context) =>
    answerEdited(context, principal, {
      ...{ messageId, text, scheduledPostId: requireLinkedPost(principal) },
      operation: 'updateReviewMessage',
    }),
})

/** The same about one post of a link to several. Idempotent. */
export const updateMessageForReview = operation({
  ...shared,
  operationId: 'updateMessageForReview',
  summary: 'Change a message about one post of a link to several that was written with this link.',
  description:
    'For a mistake in a text, as long as the holder may decide about the post: the message then says that it was edited. Costs one small transaction.',
  path: '/posts/{number}/discussion/{messageId}',
  params: linkedMessageParams,
  handle: async (call, context) =>
    answerEdited(context, call.principal, {
      ...{ messageId: call.params.messageId, text: call.body.text },
      scheduledPostId: await requireOpenLinkedPost(call, context.database),
      operation: 'updateMessageForReview',
    }),
})

async function answerEdited(
  context: Context,
  principal: Principal,
  edited: { scheduledPostId: string; messageId: string; text: string; operation: string },
): Promise<Answer> {
  const message = await editMessage(context, principal, { ...edited, mentions: [] })
  const [body] = await toReviewMessages(context.database, principal, [message])
  return ok(body)
}
