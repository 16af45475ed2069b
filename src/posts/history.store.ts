import { recordAudit } from '../audit/audit.store.js'
import type { Queryable } from '../database/database.js'
import { listValues } from '../database/queries.js'
import type { Actor } from '../http/principal.js'
import type { PostAction } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'
import { AHEAD_MS_MAX } from '../lib/dates.js'
import { recordEvent } from '../news/events.store.js'
import { isOwnText, textDigest } from './copies.store.js'
import type { ChangedValues } from './describe-changes.js'
import { notifyPeople } from './notify-people.js'

type PostIds = [organizationId: string, scheduledPostId: string]

/** A change of a post. */
export interface PostChangeEntry {
  /**
   * The post after the change, with its new version. A deletion has the version that would have come next, and no status.
   */
  post: { organization_id: string; scheduled_post_id: string; version: number; status: PostStatus | null }
  /** Null for a creation. */
  fromStatus: PostStatus | null
  actor: Actor
  action: PostAction
  /** The operationId, if it differs from the action's. */
  operation?: string
  /** Further facts, such as the fields that changed or the reason. */
  detail?: Record<string, unknown> | undefined
  /** Only in the audit trail. */
  values?: ChangedValues | undefined
  at: Date
}

/** A row of the view of the audit trail. */
export interface HistoryRow {
  version: number
  at: Date
  actor: string
  action: PostAction
  from_status: PostStatus | null
  to_status: PostStatus | null
  detail: Record<string, unknown> | null
}

/** The operation of each action. */
export const OPERATIONS = {
  created: 'createScheduledPost',
  updated: 'updateScheduledPost',
  submitted: 'submitScheduledPostForApproval',
  approved: 'approveScheduledPost',
  rejected: 'rejectScheduledPost',
  reverted: 'revertScheduledPost',
  retried: 'retryScheduledPost',
  deleted: 'deleteScheduledPost',
  claimed: 'publishScheduledPost',
  waits: 'publishScheduledPost',
  published: 'publishScheduledPost',
  failed: 'publishScheduledPost',
} as const

/** The statuses that send an event when they begin. */
const EVENT_OF_STATUS: Partial<Record<PostStatus, 'post.waiting_for_approval' | 'post.failed'>> = {
  WAITING_FOR_APPROVAL: 'post.waiting_for_approval',
  FAILED: 'post.failed',
}

/** SQL for `updated_at` of a change of a post at the parameter `now`, as notBefore returns it. */
export const updatedAt = (now: string): string =>
  `case when p.updated_at > ${now} and p.updated_at <= ${now}::timestamptz + interval '${AHEAD_MS_MAX} ms'
        then p.updated_at else ${now} end`

/**
 * Writes a change to the audit trail, in the transaction that makes it. Each version is written once: a second change that
 * claims the same version fails.
 */
export async function recordChange(
  tx: Queryable,
  { post, fromStatus, actor, action, operation = OPERATIONS[action], detail, values, at }: PostChangeEntry,
): Promise<void> {
  await recordAudit(tx, {
    principal: { organizationId: post.organization_id, actor },
    at,
    operation,
    target: { type: 'scheduledPost', id: post.scheduled_post_id },
    version: post.version,
    changes: {
      ...{ action, fromStatus: fromStatus ?? undefined, toStatus: post.status ?? undefined, detail },
      ...(values && { ...values.changed, before: values.before }),
    },
  })
  const { organization_id: organizationId, scheduled_post_id: scheduledPostId } = post
  await notifyPeople(tx, { organizationId, scheduledPostId, actor, action, operation, detail, at })
  const type = post.status !== null && post.status !== fromStatus ? EVENT_OF_STATUS[post.status] : undefined
  if (type === undefined) return
  await recordEvent(tx, { organizationId, type, at, data: { scheduledPostId } })
}

/**
 * Finds who made each of these posts, and who last changed its time and each part of its content; a caption and a superpower
 * are separate parts. So another person's change does not clear the writer. A change of the notes does not count, and
 * neither does a change by a key, because the writer may hold the key. The writers of copied content count too, and for each
 * text the person who wrote it first.
 */
export async function findWriters(
  tx: Queryable,
  organizationId: string,
  scheduledPostIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const { rows } = await tx.query<{ id: string; actor: string }>(
    `with changes as (
       select scheduled_post_id as id, version, actor, action, detail from scheduled_post_history
        where organization_id = $1 and scheduled_post_id = any($2::text[])
          and (action = 'created' or (action in ('updated', 'retried') and actor not like 'key:%'))),
     parts as (
       select id, version, actor, 'scheduledFor' as part from changes where action = 'retried'
        union all
       select id, version, actor, name || coalesce('.' || field, '')
         from changes
        cross join lateral json_array_elements_text(detail -> 'changed') name
         left join lateral json_array_elements_text(
                coalesce(detail -> 'channelFields' -> substr(name, ${'channels.'.length + 1}), '["caption", "superpower"]')) field
           on starts_with(name, 'channels.')
        where action = 'updated' and name <> 'notes')
     select id, actor from changes where action = 'created'
      union
     select id, actor from (select distinct on (id, part) id, actor from parts order by id, part, version desc) last
      union
     -- An entry that does not say what it changed may be of any part.
     select id, actor from changes
      where action = 'updated' and detail -> 'changed' is null and detail -> 'channels' is null
      union
     -- Those of what was copied into the post.
     select scheduled_post_id, writer
       from scheduled_post_history cross join lateral json_array_elements_text(detail -> 'writers') writer
      where organization_id = $1 and scheduled_post_id = any($2::text[])
      union
     -- Those who were the first to write one of its texts, here or elsewhere.
     select x.scheduled_post_id, t.actor
       from scheduled_post_channels x
       join post_texts t on t.organization_id = $1 and t.text_sha256 = ${textDigest('x.caption')}
      where x.organization_id = $1 and x.scheduled_post_id = any($2::text[]) and ${isOwnText('x.caption')}`,
    [organizationId, scheduledPostIds],
  )
  const writers = new Map<string, Set<string>>(scheduledPostIds.map((id) => [id, new Set()]))
  for (const { id, actor } of rows) writers.get(id)!.add(actor)
  return writers
}

/** The writers that the post has from copied content. */
export const listInheritedWriters = async (tx: Queryable, ...ids: PostIds): Promise<Set<string>> =>
  new Set(
    await listValues<string>(
      tx,
      `select distinct writer
         from scheduled_post_history cross join lateral json_array_elements_text(detail -> 'writers') writer
        where organization_id = $1 and scheduled_post_id = $2`,
      ids,
    ),
  )

/** Returns the last decision about a post, or that it was rescheduled after it failed. */
export async function findLastDecision(
  tx: Queryable,
  ...ids: PostIds
): Promise<Pick<HistoryRow, 'version' | 'actor' | 'action'> | undefined> {
  const { rows } = await tx.query<Pick<HistoryRow, 'version' | 'actor' | 'action'>>(
    `select version, actor, action from scheduled_post_history
      where organization_id = $1 and scheduled_post_id = $2 and action in ('approved', 'rejected', 'retried')
      order by version desc limit 1`,
    ids,
  )
  return rows[0]
}

/** Lists changes of a post, oldest first, after a version; also for a deleted post. Empty only at the end. */
export async function listHistory(
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
  { after, rows, bytes }: { after: number; rows: number; bytes: number },
): Promise<{ changes: HistoryRow[]; mayHaveMore: boolean }> {
  const { rows: found } = await database.query<HistoryRow & { total: number }>(
    `select version, at, actor, action, from_status, to_status, detail,
            sum(coalesce(octet_length(detail::text), 0)) over (order by version) as total
       from (select * from scheduled_post_history
              where organization_id = $1 and scheduled_post_id = $2 and version > $3
              order by version limit $4) candidates
      order by version`,
    [organizationId, scheduledPostId, after, rows + 1],
  )
  const changes = found.filter(({ total }, index) => index === 0 || (index < rows && total <= bytes))
  return { changes, mayHaveMore: found.length > changes.length }
}
