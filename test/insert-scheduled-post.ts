import type { Queryable } from '../src/database/database.js'
import type { PostStatus } from '../src/interface/posts.js'
import type { Superpower } from '../src/interface/superpowers.js'
import { newId } from '../src/lib/ids.js'
import { FIRST_VERSION } from '../src/posts/etag.js'
import { STATUS_RULES } from '../src/posts/lifecycle.js'
import { releaseHashtags } from '../src/posts/post-channels.store.js'
import { NO_APPROVAL } from '../src/posts/scheduled-post-row.js'
import { insertScheduledPostRow } from '../src/posts/scheduled-posts.store.js'
import { completeSuperpower } from '../src/superpowers/superpower-schema.js'

/** A post that a test or a bench starts from. */
export interface PostFixture {
  scheduledPostId: string
  status: PostStatus
  media?: string
  mediaType?: 'IMAGE' | 'VIDEO'
  scheduledFor?: Date
  notes?: string
  channels?: { channelId: string; caption?: string; superpower?: Superpower; failedToPublish?: boolean }[]
  createdAt: Date
}

/**
 * Inserts a post, in a transaction, in any status: with a task where the status has one, as version 1. Its channels must
 * be the organization's.
 */
export async function insertScheduledPost(tx: Queryable, organizationId: string, post: PostFixture): Promise<void> {
  const { scheduledPostId, status, createdAt } = post
  const { isApproved, holdsHashtags, hasTask } = STATUS_RULES[status]
  const row = {
    organization_id: organizationId,
    scheduled_post_id: scheduledPostId,
    status: isApproved ? 'DRAFT' : status,
    media: post.media ?? null,
    media_type: post.mediaType ?? null,
    scheduled_for: post.scheduledFor ?? null,
    task_id: null,
    notes: post.notes ?? null,
    version: FIRST_VERSION,
    created_at: createdAt,
    updated_at: createdAt,
    ...NO_APPROVAL,
    channels: (post.channels ?? []).map(({ channelId, caption, superpower, failedToPublish }) => ({
      channel_id: channelId,
      caption: caption ?? null,
      superpower: superpower === undefined ? null : completeSuperpower(superpower),
      failed_to_publish: failedToPublish ?? false,
      published: false,
    })),
  } as const
  await insertScheduledPostRow(tx, row, { type: 'operator' })
  if (!isApproved) return
  if (!holdsHashtags) await releaseHashtags(tx, organizationId, scheduledPostId)
  // No function of the service makes a PUBLISHED post of one that has no publication, or an approved one of version 1 whose time is over.
  await tx.query(
    `update scheduled_posts
        set status = $3, task_id = $4, approved_version = 1, approved_at = $5, approved_actor_type = 'operator'
      where organization_id = $1 and scheduled_post_id = $2`,
    [organizationId, scheduledPostId, status, hasTask ? newId('task') : null, createdAt],
  )
}
