import { type Answer, type Call, operation } from '../http/operation.js'
import type { NewPostByPerson } from '../interface/generated/types.js'
import type { PostContext } from './change-post.js'
import { FIRST_ETAG } from './etag.js'
import { answerOnce, idempotencyHeader, readIdempotencyKey } from './idempotency.js'
import { insertPost } from './insert-post.js'
import { newPostByPersonSchema, newPostSchema } from './post-schema.js'
import { postForPeopleBody, scheduledPostBody, toScheduledPostBody, withoutContent } from './scheduled-post.js'

const shared = {
  summary: 'Create a scheduled post, as a DRAFT or WAITING_FOR_APPROVAL',
  route: 'POST /scheduled-posts',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [201, 400, 409],
  headers: idempotencyHeader,
  answerHeaders: ['etag'],
} as const

/**
 * Create a post: a DRAFT, or WAITING_FOR_APPROVAL if it has everything that publishing needs. With an Idempotency-Key, a
 * repeat within 24 hours returns the first call's answer and creates nothing.
 */
export const createScheduledPost = operation({
  ...shared,
  operationId: 'createScheduledPost',
  description:
    'A DRAFT can lack anything; a post that waits for approval must be ready to publish. Send an Idempotency-Key if the call may be repeated. Costs one transaction.',
  surfaces: ['v1'],
  body: newPostSchema,
  success: scheduledPostBody,
  handle: (call, context) => createPost(call, context),
})

/** The same for people, who can also set the alt text and declare AI. */
export const createOrganizationScheduledPost = operation({
  ...shared,
  operationId: 'createOrganizationScheduledPost',
  description:
    'Creates a post, with alt text and a label for AI-made content. A DRAFT can lack anything; a post that waits for approval must be ready to publish. Send an Idempotency-Key if the call may be repeated. Costs one transaction.',
  body: newPostByPersonSchema,
  success: postForPeopleBody,
  handle: (call, context) => createPost(call, context),
})

async function createPost(
  { body, headers, principal }: Call<unknown, unknown, NewPostByPerson>,
  { clock, config, database }: PostContext,
): Promise<Answer> {
  const now = new Date(clock.now())
  const key = readIdempotencyKey(headers)
  const call = { principal, needed: 'posts:write', key, body, now } as const
  const post = await database.transaction((tx) =>
    answerOnce(tx, call, async (checkChannels) =>
      toScheduledPostBody(await insertPost(tx, { config, principal, checkChannels, now }, body), principal),
    ),
  )
  return { status: 201, body: withoutContent(post, principal), headers: { etag: FIRST_ETAG } }
}
