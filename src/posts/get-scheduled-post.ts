import { operation } from '../http/operation.js'
import { postBodies, toPostAnswer } from './scheduled-post.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

/** The post as PATCH answers it (interface 2.4), with the ETag for If-Match. */
export const getScheduledPost = operation({
  operationId: 'getScheduledPost',
  summary: 'Read a scheduled post',
  description: 'For its present status and content, and for the ETag that If-Match takes. Costs one read.',
  route: 'GET /scheduled-posts/{scheduledPostId}',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404],
  answerHeaders: ['etag'],
  ...postBodies,
  async handle({ params, principal }, { database }) {
    return toPostAnswer(
      await requireScheduledPost(database, principal.organizationId, params.scheduledPostId),
      principal,
    )
  },
})
