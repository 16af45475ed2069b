import type { Queryable } from '../../database/database.js'
import { listRows, listValues, readValue } from '../../database/queries.js'
import { type Actor, idOfActor, textOfActor } from '../../http/principal.js'
import type { InboxDetail } from '../../interface/generated/types.js'
import type { InboxKind } from '../../interface/inbox.js'
import type { PostStatus } from '../../interface/post-status.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'

/** An inbox entry for one person. */
export interface NewInboxEntry {
  personId: string
  kind: InboxKind
  scheduledPostId: string
  at: Date
  /** The actor. People get no entries about their own actions. */
  actor: Actor
  detail?: InboxDetail | undefined
}

/** Entries that need no action are stored as read. */
const STORED_AS_READ: readonly InboxKind[] = ['published']

/**
 * Adds inbox entries and schedules their emails, in the transaction of the change that they report. Only current
 * members get entries, and never about their own actions. Beyond the limit of an inbox, the oldest entries are
 * deleted. The database resolves deadlocks between two callers by repeating one of the transactions.
 */
export async function addInboxEntries(
  tx: Queryable,
  organizationId: string,
  entries: readonly NewInboxEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const column = (of: (entry: NewInboxEntry) => unknown): unknown[] => entries.map(of)
  const added = await listRows<{ person_id: string; to_mail: boolean; at: Date }>(
    tx,
    `insert into inbox_entries
            (organization_id, person_id, entry_id, kind, scheduled_post_id, at, actor, detail, read_at, to_mail)
     select $1, m.person_id, n.entry_id, n.kind, n.post_id, n.at, n.actor, n.detail::jsonb,
            case when n.kind = any($10::text[]) then n.at end,
            m.notify and n.kind = any(m.mail_kinds)
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::text[])
            as n (entry_id, person_id, kind, post_id, at, actor, actor_id, detail)
       join people p on p.person_id = n.person_id
       join memberships m on m.organization_id = $1 and m.person_id = coalesce(p.merged_into, p.person_id)
      where not exists (select from people self
                         where self.person_id = n.actor_id and m.person_id in (self.person_id, self.merged_into))
      order by m.person_id
     returning person_id, to_mail, at`,
    [
      organizationId,
      column(() => newId('entry')),
      column(({ personId }) => personId),
      column(({ kind }) => kind),
      column(({ scheduledPostId }) => scheduledPostId),
      column(({ at }) => at),
      column(({ actor }) => textOfActor(actor)),
      column(({ actor }) => (actor.type === 'user' ? idOfActor(actor) : null)),
      column(({ detail }) => detail && JSON.stringify(detail)),
      STORED_AS_READ,
    ],
  )
  for (const personId of new Set(added.map(({ person_id }) => person_id))) {
    await dropOldest(tx, organizationId, personId)
    const mailed = added.filter((entry) => entry.person_id === personId && entry.to_mail)
    if (mailed.length > 0) await makeMailDue(tx, organizationId, personId, mailed.length, mailed[0]!.at)
  }
}

/** Deletes the oldest entries. The subselect reads one index, up to the limit of an inbox. */
async function dropOldest(tx: Queryable, organizationId: string, personId: string): Promise<void> {
  await tx.query(
    `delete from inbox_entries
      where organization_id = $1 and person_id = $2
        and (at, entry_id) < (select at, entry_id from inbox_entries
                               where organization_id = $1 and person_id = $2
                               order by at desc, entry_id desc offset $3 limit 1)`,
    [organizationId, personId, limit('inboxEntries') - 1],
  )
}

/**
 * Schedules an email. The delay collects what happens at the same time, and allows a decision to be undone before
 * anyone is notified.
 */
async function makeMailDue(
  tx: Queryable,
  organizationId: string,
  personId: string,
  count: number,
  at: Date,
): Promise<void> {
  const dueAt = new Date(at.getTime() + limit('inboxMailWaitMs'))
  await tx.query(
    `insert into inbox_mails (organization_id, person_id, count, since, next_attempt_at)
     values ($1, $2, $3, $4, $5)
         on conflict (organization_id, person_id) do update
        set count = inbox_mails.count + excluded.count,
            since = case when inbox_mails.next_attempt_at is null then excluded.since else inbox_mails.since end,
            next_attempt_at = coalesce(inbox_mails.next_attempt_at,
                                       greatest(excluded.next_attempt_at, inbox_mails.quiet_until))`,
    [organizationId, personId, count, at, dueAt],
  )
}

/**
 * Deletes the entries about the last decision on a post, which is being undone; an unsent email leaves them out. The
 * instant identifies the decision, because one that notified no one must not delete the entries of an earlier one.
 */
export async function removeLastDecisionNews(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
): Promise<void> {
  await tx.query(
    `delete from inbox_entries
      where organization_id = $1 and scheduled_post_id = $2 and kind in ('returned', 'approved')
        and at = (select h.at from scheduled_post_history h
                   where h.organization_id = $1 and h.scheduled_post_id = $2 and h.action in ('approved', 'rejected')
                   order by h.version desc limit 1)`,
    [organizationId, scheduledPostId],
  )
}

/** Deletes the entries that quote a deleted message. An unsent email leaves them out. */
export async function removeMessageNews(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
  messageId: string,
): Promise<void> {
  await tx.query(
    `delete from inbox_entries
      where organization_id = $1 and scheduled_post_id = $2 and detail ->> 'messageId' = $3`,
    [organizationId, scheduledPostId, messageId],
  )
}

/** Updates the entries that quote an edited message. */
export async function updateMessageNews(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
  { messageId, text }: { messageId: string; text: string },
): Promise<void> {
  await tx.query(
    `update inbox_entries set detail = jsonb_set(detail, '{text}', to_jsonb($4::text))
      where organization_id = $1 and scheduled_post_id = $2 and detail ->> 'messageId' = $3`,
    [organizationId, scheduledPostId, messageId, text],
  )
}

/** Deletes all entries about posts that lose their content, because the entries quote it. */
export async function removeNewsOfPosts(
  tx: Queryable,
  organizationId: string,
  scheduledPostIds: readonly string[],
): Promise<void> {
  await tx.query('delete from inbox_entries where organization_id = $1 and scheduled_post_id = any($2::text[])', [
    organizationId,
    scheduledPostIds,
  ])
}

export interface InboxRow {
  entry_id: string
  kind: InboxKind
  at: Date
  /** The instant as text, to the microsecond, for the position in the list. */
  position: string
  actor: string
  actor_name: string | null
  detail: InboxDetail | null
  read_at: Date | null
  scheduled_post_id: string
  status: PostStatus
  scheduled_for: Date | null
  text: string
}

/** SQL for the beginning of the first caption of a post; empty if it has none. */
const beginningOf = (postId: string): string => `
  coalesce((select left(x.caption, 120) from scheduled_post_channels x
             where x.organization_id = $1 and x.scheduled_post_id = ${postId} and x.caption ~ '\\S'
             order by x.channel_id collate "C" limit 1), '')`

const ENTRY = `e.entry_id, e.kind, e.at, e.at::text as position, e.actor, e.detail, e.read_at,
  (select by.name from people by where e.actor = 'user:' || by.person_id) as actor_name,
  p.scheduled_post_id, p.status, p.scheduled_for, ${beginningOf('p.scheduled_post_id')} as text`

/** Lists the entries of one person, newest first. */
export const listInboxRows = (
  database: Queryable,
  organizationId: string,
  personId: string,
  { unread, after, rows }: { unread: boolean; after: readonly [at: string, entryId: string] | undefined; rows: number },
): Promise<InboxRow[]> =>
  listRows(
    database,
    `select ${ENTRY}
       from inbox_entries e
       join scheduled_posts p on p.organization_id = $1 and p.scheduled_post_id = e.scheduled_post_id
      where e.organization_id = $1 and e.person_id = $2 and ($3 or e.read_at is null)
        and (e.at, e.entry_id) < ($4::text::timestamptz, $5::text)
      order by e.at desc, e.entry_id desc limit $6`,
    [organizationId, personId, !unread, ...(after ?? ['infinity', '']), rows],
  )

/** Marks entries of one person as read or unread. Returns the changed ones and the number of unread entries. */
export async function markInboxRows(
  tx: Queryable,
  organizationId: string,
  personId: string,
  { ids, until, read, now }: { ids?: readonly string[]; until?: string; read: boolean; now: Date },
): Promise<{ ids: string[]; unread: number }> {
  const changed = await listValues<string>(
    tx,
    `update inbox_entries set read_at = case when $5 then $6::timestamptz end
      where organization_id = $1 and person_id = $2 and (entry_id = any($3::text[]) or at <= $4::text::timestamptz)
        and (read_at is null) = $5
     returning entry_id`,
    [organizationId, personId, ids ?? null, until ?? null, read, now],
  )
  const unread = await readValue<number>(
    tx,
    'select count(*) from inbox_entries where organization_id = $1 and person_id = $2 and read_at is null',
    [organizationId, personId],
  )
  return { ids: changed, unread }
}

/** Records that an email has listed these entries; without ids, that none of them needs an email. */
export async function markMailed(
  database: Queryable,
  organizationId: string,
  personId: string,
  ids: readonly string[] | undefined,
): Promise<void> {
  await database.query(
    `update inbox_entries set to_mail = false
      where organization_id = $1 and person_id = $2 and to_mail and ($3::text[] is null or entry_id = any($3::text[]))`,
    [organizationId, personId, ids ?? null],
  )
}
