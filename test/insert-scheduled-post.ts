import type { Queryable } from '../src/database/database.js'
import type { Superpower } from '../src/interface/generated/types.js'
import type { PostStatus } from '../src/interface/post-status.js'
import { newId } from '../src/lib/ids.js'
import { recordChange } from '../src/posts/history.store.js'
import { STATUS_RULES } from '../src/posts/lifecycle.js'
import { replaceChannels } from '../src/posts/post-channels.store.js'
import { completeSuperpower } from '../src/superpowers/superpower-schema.js'

/** The state of a post with which a test or benchmark starts. */
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
 * Inserts a post in any status, in a transaction, as version 1; it has a task if the status has one. Its channels must
 * belong to the organization. The service itself creates posts in only two statuses: no sequence of calls makes a
 * PUBLISHED or overdue post of version 1 whose history begins in its status. Tests and benchmarks start with thousands of
 * them.
 */
export async function insertScheduledPost(tx: Queryable, organizationId: string, post: PostFixture): Promise<void> {
  const channels = (post.channels ?? []).map(({ channelId, caption, superpower, failedToPublish }) => ({
    channel_id: channelId,
    caption: caption ?? null,
    superpower: superpower === undefined ? null : completeSuperpower(superpower),
    failed_to_publish: failedToPublish ?? false,
    published: false,
  }))
  const row = {
    organization_id: organizationId,
    scheduled_post_id: post.scheduledPostId,
    status: post.status,
    version: 1,
    channels,
  }
  const key = [organizationId, post.scheduledPostId]
  await tx.query(
    `insert into scheduled_posts (organization_id, scheduled_post_id, status, media, media_type, scheduled_for, notes,
                                  created_at, updated_at)
     values ($1, $2, 'DRAFT', $3, $4, $5, $6, $7, $7)`,
    [...key, post.media ?? null, post.mediaType ?? null, post.scheduledFor ?? null, post.notes ?? null, post.createdAt],
  )
  await replaceChannels(tx, row, post.createdAt)
  // The content of an approved post cannot change, so its status comes last.
  const { isApproved, hasTask } = STATUS_RULES[post.status]
  await tx.query(
    `update scheduled_posts
        set status = $3, task_id = $4, approved_version = case when $5 then 1 end,
            approved_at = case when $5 then $6::timestamptz end,
            approved_actor_type = case when $5 then 'operator' end
      where organization_id = $1 and scheduled_post_id = $2`,
    [...key, post.status, hasTask ? newId('task') : null, isApproved, post.createdAt],
  )
  const actor = { type: 'operator' } as const
  await recordChange(tx, { post: row, fromStatus: null, actor, action: 'created', at: post.createdAt })
}
