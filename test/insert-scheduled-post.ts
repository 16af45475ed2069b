import type { Queryable } from '../src/database/database.js'
import type { Superpower } from '../src/interface/types.js'
import { newId } from '../src/lib/ids.js'
import { type PostStatus, STATUS_RULES } from '../src/posts/lifecycle.js'
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
    media: post.media ?? null,
    media_type: post.mediaType ?? null,
    scheduled_for: post.scheduledFor ?? null,
    task_id: STATUS_RULES[post.status].hasTask ? newId('task') : null,
    notes: post.notes ?? null,
    version: 1,
    created_at: post.createdAt,
    updated_at: post.createdAt,
    channels,
  }
  await insertScheduledPostRow(tx, row, 'operator')
}
