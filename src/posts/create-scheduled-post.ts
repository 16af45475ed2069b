import { operation } from '../http/operation.js'
import { FIRST_ETAG } from './etag.js'
import { answerOnce, readIdempotencyKey } from './idempotency.js'
import { insertPost } from './insert-post.js'
import { newPostSchema } from './post-schema.js'
import { scheduledPostBody, toScheduledPostBody, withoutContent } from './scheduled-post.js'

/**
 * Create a post: a DRAFT, or with everything that it needs to be published one that is WAITING_FOR_APPROVAL. With an
 * Idempotency-Key a repeat within 24 hours answers what the first call did and creates nothing.
 */
export const createScheduledPost = operation({
  operationId: 'createScheduledPost',
  summary: 'Create a scheduled post, as a DRAFT or WAITING_FOR_APPROVAL',
  description:
    'A DRAFT may lack anything; a post that waits for approval must be ready to be published. Send an Idempotency-Key wherever a call may be repeated. Costs one transaction.',
  method: 'POST',
  path: '/scheduled-posts',
  surfaces: ['v1', 'console'],
  permission: 'posts:write',
  answers: [201, 400, 409],
  body: newPostSchema,
  headers: {
    'Idempotency-Key':
      'A repeat with the same key and body within 24 hours answers the first result and creates nothing.',
  },
  success: scheduledPostBody,
  async handle({ body, headers, principal }, { clock, config, database }) {
    const { organizationId } = principal
    const now = new Date(clock.now())
    const key = readIdempotencyKey(headers)
    const post = await database.transaction((tx) =>
      answerOnce(tx, { organizationId, key, body, now }, async () =>
        toScheduledPostBody(await insertPost(tx, config, principal, body, now), principal),
      ),
    )
    return { status: 201, body: withoutContent(post, principal), headers: { etag: FIRST_ETAG } }
  },
})
