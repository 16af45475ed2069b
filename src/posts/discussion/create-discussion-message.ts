import { created, operation } from '../../http/operation.js'
import { messageBody, newMessageBody, toMessageBodies } from './message.js'
import { writeMessage } from './write-message.js'

/** Write a message in the discussion of a post: everyone who may read the post may write there. */
export const createDiscussionMessage = operation({
  operationId: 'createDiscussionMessage',
  summary: 'Write a message in the discussion of a post, or a reply to one.',
  description:
    'For what colleagues, and with `shared` people with a review link, should know about the post. It never reaches the platform, and changes nothing of the post, not even its ETag. A reply opens a resolved thread again. A program takes the permission posts:write for this and for the changes of messages. Costs one small transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/discussion',
  permission: 'posts:read',
  answers: [201, 400, 404, 409],
  body: newMessageBody,
  success: messageBody,
  async handle({ params: { scheduledPostId }, body, principal }, context) {
    const operation = 'createDiscussionMessage'
    const message = await writeMessage(context, principal, { scheduledPostId, ...body, operation })
    const [written] = await toMessageBodies(context.database, principal.organizationId, [message])
    return created(written)
  },
})
