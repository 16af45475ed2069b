import type { Queryable } from '../database/database.js'
import type { Actor } from '../http/principal.js'
import type { PostStatus } from '../interface/post-status.js'
import { recordChange, updatedAt } from './history.store.js'
import { nextStatus, STATUS_RULES } from './lifecycle.js'
import { releaseHashtags } from './post-channels.store.js'
import type { PostKey } from './scheduled-post-row.js'

export interface PostEnd {
  /** The claim that must hold the post; null for a post that no publisher holds. */
  leasedBy: string | null
  fromStatus: PostStatus
  trigger: 'finish' | 'finishWithFailure' | 'expire' | 'loseChannels'
  actor: Actor
  /** The operationId, where it is not the publisher's. */
  operation?: string
  now: Date
}

/** The wait of a post ends with its status. */
const NO_WAIT = 'wait_reason = null, wait_since = null, wait_changes = 0, wait_logged_at = null'

/** Ends a post, and marks the channels on which it failed and no other. Undefined when `leasedBy` does not hold it. */
export async function endPost(
  tx: Queryable,
  { organization_id, scheduled_post_id }: PostKey,
  { leasedBy, fromStatus, trigger, actor, operation, now }: PostEnd,
): Promise<PostStatus | undefined> {
  const status = nextStatus(trigger, fromStatus)
  const key = [organization_id, scheduled_post_id]
  const { rows } = await tx.query<{ version: number; updated_at: Date }>(
    `update scheduled_posts p
        set status = $4, task_id = null, leased_by = null, lease_holder = null, leased_until = null, next_attempt_at = null,
            ${NO_WAIT},
            version = version + 1, updated_at = ${updatedAt('$5')}
      where organization_id = $1 and scheduled_post_id = $2 and leased_by is not distinct from $3
     returning version, updated_at`,
    [...key, leasedBy, status, now],
  )
  if (rows[0] === undefined) return undefined
  const { rows: channels } = await tx.query<{ channel_id: string; outcome: object }>(
    `update scheduled_post_channels x set failed_to_publish = (p.state = 'FAILED')
       from publications p
      where x.organization_id = $1 and x.scheduled_post_id = $2
        and p.organization_id = $1 and p.scheduled_post_id = $2 and p.channel_id = x.channel_id
     returning p.channel_id, json_strip_nulls(json_build_object(
               'state', p.state, 'externalId', p.external_id, 'permalink', p.permalink, 'error', p.error)) as outcome`,
    key,
  )
  if (!STATUS_RULES[status].holdsHashtags) await releaseHashtags(tx, organization_id, scheduled_post_id)
  await recordChange(tx, {
    post: { organization_id, scheduled_post_id, version: rows[0].version, status },
    fromStatus,
    actor,
    action: status === 'PUBLISHED' ? 'published' : 'failed',
    ...(operation === undefined ? {} : { operation }),
    detail: { channels: Object.fromEntries(channels.toSorted(byId).map((row) => [row.channel_id, row.outcome])) },
    at: rows[0].updated_at,
  })
  return status
}

/**
 * Takes a post that a publisher holds back to approval, because the media at their address are no longer those that
 * were approved. A channel on which it is out stays so; the others are prepared again. False when `leasedBy` does not
 * hold the post.
 */
export async function returnPost(
  tx: Queryable,
  { organization_id, scheduled_post_id }: PostKey,
  { leasedBy, actor, reason, now }: { leasedBy: string; actor: Actor; reason: string; now: Date },
): Promise<boolean> {
  const status = nextStatus('loseMedia', 'PUBLISHING')
  const key = [organization_id, scheduled_post_id]
  const { rows } = await tx.query<{ version: number; updated_at: Date }>(
    `update scheduled_posts p
        set status = $4, task_id = null, leased_by = null, lease_holder = null, leased_until = null, next_attempt_at = null,
            ${NO_WAIT},
            approved_version = null, approved_at = null, approved_actor_type = null, approved_actor_id = null,
            media_sha256 = null, media_problem = 'CHANGED', media_checked_at = $5,
            version = version + 1, updated_at = ${updatedAt('$5')}
      where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3
     returning version, updated_at`,
    [...key, leasedBy, status, now],
  )
  if (rows[0] === undefined) return false
  await tx.query(
    `update publications set container_id = null, attempts = 0, media_failures = 0, error = null,
            next_attempt_at = null, wait_reason = null
      where organization_id = $1 and scheduled_post_id = $2 and state = 'PENDING'`,
    key,
  )
  await recordChange(tx, {
    post: { organization_id, scheduled_post_id, version: rows[0].version, status },
    fromStatus: 'PUBLISHING',
    actor,
    action: 'reverted',
    operation: 'publishScheduledPost',
    detail: { reason },
    at: rows[0].updated_at,
  })
  return true
}

const byId = (a: { channel_id: string }, b: { channel_id: string }): number => (a.channel_id < b.channel_id ? -1 : 1)
