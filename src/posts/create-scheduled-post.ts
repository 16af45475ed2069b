import { type Answer, operation } from '../http/operation.js'
import { FIRST_ETAG } from './etag.js'
import { readIdempotencyKey } from './idempotency.js'
import { newPostSchema } from './post-schema.js'
import { scheduledPostBody, withoutContent } from './scheduled-post.js'
import { createPost } from './verbs.js'

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
  async handle({ body, headers, principal }, context): Promise<Answer> {
    const post = await createPost(context, principal, { body, idempotencyKey: readIdempotencyKey(headers) })
    return { status: 201, body: withoutContent(post, principal), headers: { etag: FIRST_ETAG } }
  },
})
