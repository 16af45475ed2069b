import type { Queryable } from '../database/database.js'
import { type Answer, type ApiCall, operation } from '../http/operation.js'
import type { NewScheduledPost } from '../interface/posts.js'
import { newId } from '../lib/ids.js'
import { applyPatch } from './apply-patch.js'
import { toEtag } from './etag.js'
import { answerOnce, readIdempotencyKey } from './idempotency.js'
import { STATUS_RULES } from './lifecycle.js'
import { checkPublishable, checkScheduledFor, copyNamedSuperpowers, requireNamedChannels } from './post-rules.js'
import { newPostSchema } from './post-schema.js'
import { scheduledPostBody, toScheduledPostBody } from './scheduled-post.js'
import { insertScheduledPostRow, type ScheduledPostRow } from './scheduled-posts.store.js'

const FIRST_VERSION = 1

/**
 * Create a post: a DRAFT, or with everything that it needs to be published one that is WAITING_FOR_APPROVAL. With an
 * Idempotency-Key a repeat within 24 hours answers what the first call did and creates nothing.
 */
export const createScheduledPost = operation({
  operationId: 'createScheduledPost',
  summary: 'Create a scheduled post, as a DRAFT or WAITING_FOR_APPROVAL',
  method: 'POST',
  path: '/scheduled-posts',
  answers: [201, 400, 402, 403, 409, 422],
  body: newPostSchema,
  headers: {
    'Idempotency-Key':
      'A repeat with the same key and body within 24 hours answers the first result and creates nothing.',
  },
  success: scheduledPostBody,
  async handle({ body, headers, principal }, { clock, database }): Promise<Answer> {
    const { organizationId } = principal
    const now = new Date(clock.now())
    const key = readIdempotencyKey(headers)
    const answer = await database.transaction((tx) =>
      answerOnce(tx, { organizationId, key, body, now }, async () =>
        toScheduledPostBody(await createPost(tx, body, principal, now)),
      ),
    )
    return { status: 201, body: answer, headers: { etag: toEtag(FIRST_VERSION) } }
  },
})

async function createPost(
  tx: Queryable,
  body: NewScheduledPost,
  { organizationId, keyId }: ApiCall['principal'],
  now: Date,
): Promise<ScheduledPostRow> {
  const channels = await requireNamedChannels(tx, organizationId, body.channels)
  const fields = await copyNamedSuperpowers(tx, organizationId, body)
  checkScheduledFor(fields, now.getTime())
  const empty: ScheduledPostRow = {
    organization_id: organizationId,
    scheduled_post_id: newId('post'),
    status: body.status ?? 'DRAFT',
    media: null,
    media_type: null,
    scheduled_for: null,
    task_id: null,
    notes: null,
    version: FIRST_VERSION,
    created_at: now,
    updated_at: now,
    channels: [],
  }
  const post = applyPatch(empty, fields, channels)
  if (STATUS_RULES[post.status].mustBePublishable) checkPublishable(post, now.getTime())
  await insertScheduledPostRow(tx, post, `key:${keyId}`)
  return post
}
