import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import { linkedPostParams, requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { byLink } from '../review-links/review-link.js'
import { replyToSchema, textSchema } from './message.js'
import { reviewMessageBody, toReviewMessages } from './review-message.js'
import { writeMessage } from './write-message.js'

/** Write a message about one post of a link, under the name on the link. */
export const createMessageForReview = operation({
  ...byLink,
  operationId: 'createMessageForReview',
  summary: 'Write a message about one post of a link, or a reply to one that is shared.',
  description:
    'For a question or a remark without a decision, as long as the holder may decide about the post. The members of the organization read it under the name on the link. Costs one small transaction.',
  route: 'POST /posts/{number}/discussion',
  answers: [201, 400, 404, 409],
  params: linkedPostParams,
  body: namedObject('NewReviewMessage', { text: textSchema, replyTo: replyToSchema }),
  success: reviewMessageBody,
  async handle(call, context) {
    const scheduledPostId = await requireOpenLinkedPost(call, context.database)
    const written = { ...call.body, scheduledPostId, operation: 'createMessageForReview' }
    const message = await writeMessage(context, call.principal, written)
    const [body] = await toReviewMessages(context.database, call.principal, [message])
    return created(body)
  },
})
