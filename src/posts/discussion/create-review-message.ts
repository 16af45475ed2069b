import Joi from 'joi'
import { created, operation } from '../../http/operation.js'
import type { NewReviewMessage } from '../../interface/discussion.js'
import { requireLinkedPost } from '../review-links/review-link.js'
import { replyToSchema, textSchema } from './message.js'
import { reviewMessageBody, toReviewMessages } from './review-message.js'
import { writeMessage } from './write-message.js'

/** Write a message about the post of the link, under the name on the link. */
export const createReviewMessage = operation({
  operationId: 'createReviewMessage',
  summary: 'Write a message about the post of a link, or a reply to one that is shared.',
  description:
    'For a question or a remark without a decision: the link goes on working. The members of the organization read it under the name on the link. Costs one small transaction.',
  method: 'POST',
  path: '/discussion',
  surfaces: ['review'],
  permission: 'review',
  answers: [201, 400, 404, 409],
  body: Joi.object<NewReviewMessage, true>({ text: textSchema, replyTo: replyToSchema }),
  success: reviewMessageBody,
  async handle({ body, principal }, context) {
    const scheduledPostId = requireLinkedPost(principal)
    const operation = 'createReviewMessage'
    const message = await writeMessage(context, principal, { scheduledPostId, ...body, operation })
    const [written] = await toReviewMessages(context.database, principal, [message])
    return created(written)
  },
})
