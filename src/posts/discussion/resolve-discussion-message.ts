import type { Context } from '../../http/context.js'
import { type Answer, ok, operation } from '../../http/operation.js'
import type { Principal } from '../../http/principal.js'
import { setResolved } from './discussion.store.js'
import { messageBody, toMessageBodies } from './message.js'
import { changeDiscussion, requireThread } from './write-message.js'

const shared = {
  permission: 'posts:read',
  answers: [200, 400, 404],
  success: messageBody,
} as const

/** Mark a thread as resolved. Idempotent: the first one who did so stays. */
export const resolveDiscussionMessage = operation({
  ...shared,
  operationId: 'resolveDiscussionMessage',
  summary: 'Mark a thread of the discussion of a post as resolved.',
  description:
    'For a question that is answered: the thread is no longer counted as open. Everyone who may read the post may do so. Given a reply, it resolves the thread of that. Answers the message that begins the thread. Costs one small transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/discussion/{messageId}/resolve',
  handle: ({ params, principal }, context) => answerResolved(context, principal, params, 'resolveDiscussionMessage'),
})

/** Open a resolved thread again. Idempotent. */
export const reopenDiscussionMessage = operation({
  ...shared,
  operationId: 'reopenDiscussionMessage',
  summary: 'Open a resolved thread of the discussion of a post again.',
  description:
    'For a question that is not answered after all. A reply does the same. Answers the message that begins the thread. Costs one small transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/discussion/{messageId}/reopen',
  handle: ({ params, principal }, context) => answerResolved(context, principal, params, 'reopenDiscussionMessage'),
})

async function answerResolved(
  context: Context,
  principal: Principal,
  { scheduledPostId, messageId }: { scheduledPostId: string; messageId: string },
  operationId: 'resolveDiscussionMessage' | 'reopenDiscussionMessage',
): Promise<Answer> {
  const by = operationId === 'resolveDiscussionMessage' ? principal.actor : null
  const thread = await changeDiscussion(context, principal, scheduledPostId, async ({ tx, key, at, record }) => {
    const before = await requireThread(tx, key, messageId)
    if (!(await setResolved(tx, key, before.message_id, { by, at }))) return before
    await record(operationId, before)
    return requireThread(tx, key, messageId)
  })
  const [body] = await toMessageBodies(context.database, principal.organizationId, [thread])
  return ok(body)
}
