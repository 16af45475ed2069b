import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { byLink } from '../review-links/review-link.js'
import { editMessage } from './change-message.js'
import { textSchema } from './message.js'
import { linkedMessageParams, reviewMessageBody, toReviewMessages } from './review-message.js'

/** Change a message about one post of a link that was written with this link. Idempotent. */
export const updateMessageForReview = operation({
  ...byLink,
  operationId: 'updateMessageForReview',
  summary: 'Change a message about one post of a link that was written with this link.',
  description:
    'For a mistake in a text, as long as the holder may decide about the post: the message then says that it was edited. What another link wrote stays. Costs one small transaction.',
  route: 'PATCH /posts/{number}/discussion/{messageId}',
  answers: [200, 400, 403, 404],
  params: linkedMessageParams,
  body: namedObject('ReviewMessagePatch', { text: textSchema }),
  success: reviewMessageBody,
  async handle(call, context) {
    const edited = {
      scheduledPostId: await requireOpenLinkedPost(call, context.database),
      messageId: call.params.messageId,
      text: call.body.text,
      mentions: [],
      operation: 'updateMessageForReview',
    }
    const message = await editMessage(context, call.principal, edited)
    const [body] = await toReviewMessages(context.database, call.principal, [message])
    return ok(body)
  },
})
