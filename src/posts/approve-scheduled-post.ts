import { operation } from '../http/operation.js'
import { postChange, toTarget } from './change-post.js'
import { approvePost } from './decisions.js'
import { ifMatchRequired } from './etag.js'
import { toPostAnswer } from './scheduled-post.js'

/** Approve a post that waits for approval: a human's decision, so no key may make it (permission posts:approve). */
export const approveScheduledPost = operation({
  ...postChange,
  operationId: 'approveScheduledPost',
  summary: 'Approve a post that waits for approval: it is published at its time.',
  description:
    'For the human who has read the post: If-Match names the version, and that version is published or nothing. No API key may approve: to a key this answers 403 with the code approval_is_human. Media at an address outside are fetched and fixed, in 10 seconds at most. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/approve',
  surfaces: ['v1', 'api'],
  permission: 'posts:approve',
  answers: [200, 400, 403, 404, 412, 428],
  headers: ifMatchRequired,
  async handle(call, context) {
    return toPostAnswer(await approvePost(context, toTarget(call)), call.principal)
  },
})
