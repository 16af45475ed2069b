import type { Queryable } from '../database/database.js'
import type { Actor } from '../http/principal.js'
import type { PostStatus } from '../interface/post-status.js'
import { recordChange, updatedAt } from './history.store.js'
import { nextStatus, STATUS_RULES } from './lifecycle.js'
import { releaseHashtags } from './post-channels.store.js'
import type { PostKey, ScheduledPostRow } from './scheduled-post-row.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

interface PostEnd {
  /** The claim that must hold the post; null for a post that no publisher holds. */
  leasedBy: string | null
  fromStatus: PostStatus
  trigger: 'finish' | 'finishWithFailure' | 'expire' | 'loseChannels'
  actor: Actor
  /** The operationId, if it is not the publisher's. */
  operation?: string
  now: Date
}

/** A post's wait ends together with its status. */
const NO_WAIT = 'wait_reason = null, wait_since = null, wait_changes = 0, wait_logged_at = null'

/** Ends a post, and marks exactly the channels on which it failed. Returns undefined if `leasedBy` does not hold it. */
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
 * Returns a post that a publisher holds to approval, because the media at their address are no longer those that were
 * approved. Channels on which it is already out stay so; the others are prepared again. Returns false if `leasedBy` does not
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

type ChannelIds = [organizationId: string, channelId: string]

/** A post that is due on a channel being deleted. */
type BoundPostRow = PostKey & Pick<ScheduledPostRow, 'status'>

/** Locks the posts that are SCHEDULED or PUBLISHING and have not ended on the channel, ordered by id. */
export async function lockPostsBoundFor(tx: Queryable, ...ids: ChannelIds): Promise<BoundPostRow[]> {
  const { rows } = await tx.query<BoundPostRow>(
    `select organization_id, scheduled_post_id, status
       from scheduled_posts p
      where organization_id = $1 and status in ('SCHEDULED', 'PUBLISHING')
        and exists (
              select from scheduled_post_channels x
               where x.organization_id = $1 and x.channel_id = $2 and x.scheduled_post_id = p.scheduled_post_id)
        and not exists (
              select from publications f
               where f.organization_id = $1 and f.channel_id = $2 and f.scheduled_post_id = p.scheduled_post_id
                 and f.state in ('PUBLISHED', 'FAILED'))
      order by scheduled_post_id for update`,
    ids,
  )
  return rows
}

/** Why a post loses a channel: by whom, when, and the reason people read. */
interface Loss {
  channelId: string
  reason: string
  actor: Actor
  operation: string
  at: Date
}

/**
 * Fails a locked SCHEDULED post on one of its channels. On the others it is published at its time; if there is no other
 * channel, it becomes FAILED. Its approved content stays as it is.
 */
export async function failOnChannel(
  tx: Queryable,
  { organization_id, scheduled_post_id, status }: BoundPostRow,
  { channelId, reason, actor, operation, at }: Loss,
): Promise<void> {
  const key = [organization_id, scheduled_post_id]
  await tx.query(
    `insert into publications (organization_id, scheduled_post_id, channel_id, state, error)
     values ($1, $2, $3, 'FAILED', $4)
         on conflict (organization_id, scheduled_post_id, channel_id) do update
        set state = 'FAILED', error = excluded.error, next_attempt_at = null`,
    [...key, channelId, reason],
  )
  await tx.query(
    `update scheduled_post_channels set failed_to_publish = true
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...key, channelId],
  )
  const { channels } = await requireScheduledPost(tx, organization_id, scheduled_post_id)
  if (channels.every(({ failed_to_publish, published }) => failed_to_publish || published)) {
    const end = { leasedBy: null, fromStatus: status, trigger: 'loseChannels', actor, operation, now: at } as const
    await endPost(tx, { organization_id, scheduled_post_id }, end)
    return
  }
  const { rows } = await tx.query<{ version: number; updated_at: Date }>(
    `update scheduled_posts p set version = version + 1, updated_at = ${updatedAt('$3')}
      where organization_id = $1 and scheduled_post_id = $2 returning version, updated_at`,
    [...key, at],
  )
  await recordChange(tx, {
    post: { organization_id, scheduled_post_id, version: rows[0]!.version, status },
    fromStatus: status,
    actor,
    operation,
    action: 'updated',
    detail: { channels: { [channelId]: { state: 'FAILED', error: reason } } },
    at: rows[0]!.updated_at,
  })
}

/** Ends the wait of a locked PUBLISHING post on one of its channels, so that the publisher checks it next. */
export async function endWaitOnChannel(
  tx: Queryable,
  { organization_id, scheduled_post_id }: BoundPostRow,
  channelId: string,
): Promise<void> {
  const key = [organization_id, scheduled_post_id]
  await tx.query(
    `update publications set next_attempt_at = null, wait_reason = null
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [...key, channelId],
  )
  await tx.query(
    'update scheduled_posts set next_attempt_at = null where organization_id = $1 and scheduled_post_id = $2',
    key,
  )
}

/**
 * Resets failed publications to their first step. Published ones stay, and so do those that failed because their channel was
 * deleted.
 */
export async function resetFailedPublications(tx: Queryable, post: ScheduledPostRow): Promise<void> {
  await tx.query(
    `update publications
        set state = 'PENDING', container_id = null, attempted_at = null, platform_attempted_at = null, text_digest = null,
            external_id = null, permalink = null, attempts = 0, media_failures = 0, error = null, wait_reason = null
      where organization_id = $1 and scheduled_post_id = $2 and state = 'FAILED'
        and not exists (
              select from channels c
               where c.organization_id = $1 and c.channel_id = publications.channel_id and c.deleted_at is not null)`,
    [post.organization_id, post.scheduled_post_id],
  )
}
