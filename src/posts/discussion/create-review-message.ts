import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { type Answer, created, operation } from '../../http/operation.js'
import type { Principal } from '../../http/principal.js'
import type { NewReviewMessage } from '../../interface/generated/types.js'
import { linkedPostParams, requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { requireLinkedPost } from '../review-links/review-link.js'
import { replyToSchema, textSchema } from './message.js'
import { reviewMessageBody, toReviewMessages } from './review-message.js'
import { writeMessage } from './write-message.js'

const shared = {
  method: 'POST',
  surfaces: ['review'],
  permission: 'review',
  answers: [201, 400, 404, 409],
  body: namedObject('NewReviewMessage', { text: textSchema, replyTo: replyToSchema }),
  success: reviewMessageBody,
} as const

/** Write a message about the post of the link, under the name on the link. */
export const createReviewMessage = operation({
  ...shared,
  operationId: 'createReviewMessage',
  summary: 'Write a message about the post of a link, or a reply to one that is shared.',
  description:
    'For a question or a remark without a decision: the link goes on working. The members of the organization read it under the name on the link. Costs one small transaction.',
  path: '/discussion',
  handle: ({ body, principal }, context) =>
    answerWritten(context, principal, {
      ...body,
      scheduledPostId: requireLinkedPost(principal),
      operation: 'createReviewMessage',
    }),
})

/** Write a message about one post of a link to several, under the name on the link. */
export const createMessageForReview = operation({
  ...shared,
  operationId: 'createMessageForReview',
  summary: 'Write a message about one post of a link to several, or a reply to one that is shared.',
  description:
    'For a question or a remark without a decision, as long as the holder may decide about the post. The members of the organization read it under the name on the link. Costs one small transaction.',
  path: '/posts/{number}/discussion',
  params: linkedPostParams,
  handle: async (call, context) =>
    answerWritten(context, call.principal, {
      ...call.body,
      scheduledPostId: await requireOpenLinkedPost(call, context.database),
      operation: 'createMessageForReview',
    }),
})

async function answerWritten(
  context: Context,
  principal: Principal,
  written: NewReviewMessage & { scheduledPostId: string; operation: string },
): Promise<Answer> {
  const message = await writeMessage(context, principal, written)
  const [body] = await toReviewMessages(context.database, principal, [message])
  return created(body)
}
