import type { Queryable } from '../database/database.js'
import { findRow, listRows } from '../database/queries.js'
import type { InboxDetail } from '../interface/generated/types.js'
import type { InboxKind } from '../interface/inbox.js'
import { type Claimed, endClaim, type WorkTable } from '../work/claims.store.js'
import { READER_COLUMNS, type ReaderRow } from './reader.js'

export interface ClaimedInboxMail extends Claimed {
  organization_id: string
  person_id: string
  count: number
  since: Date
  attempts: number
  quiet_until: Date | null
}

export const INBOX_MAILS: WorkTable = {
  name: 'inbox_mails',
  key: ['organization_id', 'person_id'],
  columns: 't.organization_id, t.person_id, t.count, t.since, t.attempts, t.quiet_until',
  fair: {
    by: 'organization_id',
    max: 1,
    among: 'select distinct organization_id from inbox_mails where next_attempt_at <= $1',
  },
}

/** A piece of news as the mail tells it. */
export interface MailedEntry {
  entry_id: string
  kind: InboxKind
  scheduled_post_id: string
  actor: string
  /** Null where no person did it. */
  actor_name: string | null
  detail: InboxDetail | null
  text: string
}

export interface InboxReader extends ReaderRow {
  mail: string
  name: string
  /** False where the address may be another person's. */
  is_proven: boolean
  organization_name: string
}

/** Undefined where the person is no member any more, or wants no mails. */
export const findInboxReader = (
  database: Queryable,
  { organization_id, person_id }: Pick<ClaimedInboxMail, 'organization_id' | 'person_id'>,
): Promise<InboxReader | undefined> =>
  findRow(
    database,
    `select p.mail, p.name, p.mail_proven_at is not null as is_proven, o.name as organization_name,
            ${READER_COLUMNS}
       from memberships m join people p using (person_id) join organizations o using (organization_id)
      where organization_id = $1 and person_id = $2 and p.active and m.notify and o.active and o.deleted_at is null`,
    [organization_id, person_id],
  )

/** The news that the next mail tells, the oldest first: those that were read meanwhile need no mail. */
export const listMailedEntries = (
  database: Queryable,
  { organization_id, person_id }: Pick<ClaimedInboxMail, 'organization_id' | 'person_id'>,
): Promise<MailedEntry[]> =>
  listRows(
    database,
    `select e.entry_id, e.kind, e.scheduled_post_id, e.actor, e.detail,
            (select by.name from people by where e.actor = 'user:' || by.person_id) as actor_name,
            coalesce((select left(x.caption, 120) from scheduled_post_channels x
                       where x.organization_id = $1 and x.scheduled_post_id = e.scheduled_post_id and x.caption ~ '\\S'
                       order by x.channel_id collate "C" limit 1), '') as text
       from inbox_entries e
      where e.organization_id = $1 and e.person_id = $2 and e.read_at is null and e.to_mail
      order by e.at, e.entry_id`,
    [organization_id, person_id],
  )

/** Ends a mail that was sent or given up: what came meanwhile is told in another one, not before `quietUntil`. */
export async function endInboxMail(
  database: Queryable,
  mail: ClaimedInboxMail,
  { now, quietUntil }: { now: Date; quietUntil: Date },
): Promise<void> {
  const set = `count = count - $1, since = $2, attempts = 0, quiet_until = $3,
               next_attempt_at = case when count > $1 then $3::timestamptz end`
  await endClaim(database, INBOX_MAILS, mail, set, [mail.count, now, quietUntil])
}
