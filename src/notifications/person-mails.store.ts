import type { Queryable } from '../database/database.js'
import { findRow } from '../database/queries.js'
import { limit } from '../lib/limits.js'
import { type Claimed, endClaim, type WorkTable } from '../work/claims.store.js'
import { READER_COLUMNS, type ReaderRow } from './reader.js'
import type { PersonMailKind } from './wording.js'

/** One occurrence that a mail lists. */
export interface PersonMailItem {
  /** ISO 8601, like endsAt. */
  at: string
  address?: string
  browser?: string
  /** The name of an operator token, and when it ends. */
  name?: string
  endsAt?: string
}

export interface ClaimedPersonMail extends Claimed {
  person_id: string
  kind: PersonMailKind
  /** JSON; the latest of `count`, the oldest first. */
  items: string[]
  count: number
  since: Date
  hour_at: Date | null
  sent: number
  attempts: number
}

const ITEMS_MAX = limit('noticeItems')

/**
 * The one condition for mails about an account, notices and reminders alike: an unproven address may be another person's.
 */
const MAY_BE_MAILED = 'p.active and p.mail_proven_at is not null'

/**
 * Adds to what the next mail of the kind tells: to one person, to every owner of the server, or to the accounts of a mail
 * address that have a password.
 */
export async function countForPeople(
  tx: Queryable,
  to: string | 'owners' | { mail: string },
  kind: string,
  { item, at, now }: { item: PersonMailItem; at: Date; now: Date },
): Promise<void> {
  const personId = typeof to === 'string' && to !== 'owners' ? to : null
  const mail = typeof to === 'string' ? null : to.mail
  await tx.query(
    `insert into person_mails (person_id, kind, items, count, since, next_attempt_at)
     select p.person_id, $3, array[$4]::text[], 1, $5::timestamptz, $6::timestamptz
       from people p where ${MAY_BE_MAILED} and (p.person_id = $1 or ($2 and p.owner)
              or (lower(p.mail collate "C") = lower($8::text collate "C") and p.password_hash is not null))
      order by p.person_id
         on conflict (person_id, kind) do update
        set items = (case when person_mails.count = 0 then '{}' else person_mails.items end || excluded.items)
                    [greatest(1, case when person_mails.count = 0 then 1 else cardinality(person_mails.items) + 2 - $7 end) :],
            count = person_mails.count + 1,
            since = case when person_mails.count = 0 then excluded.since else person_mails.since end,
            next_attempt_at = coalesce(person_mails.next_attempt_at,
                                       greatest(excluded.next_attempt_at, person_mails.quiet_until))`,
    [personId, to === 'owners', kind, JSON.stringify(item), at, now, ITEMS_MAX, mail],
  )
}

export const PERSON_MAILS: WorkTable = {
  name: 'person_mails',
  key: ['person_id', 'kind'],
  columns: 't.person_id, t.kind, t.items, t.count, t.since, t.hour_at, t.sent, t.attempts',
}

export interface MailablePerson extends ReaderRow {
  name: string
  mail: string
  /** The path of the link that the mail holds. */
  path?: string
}

/**
 * Undefined where the person may not be mailed any more. A mail about an account is of no organization: the first one of the
 * person stands in for what the person has not chosen.
 */
export const findMailablePerson = (database: Queryable, personId: string): Promise<MailablePerson | undefined> =>
  findRow(
    database,
    `select p.name, p.mail, ${READER_COLUMNS}
       from people p
       left join lateral (
            select language, time_zone from memberships m join organizations using (organization_id)
             where m.person_id = p.person_id and deleted_at is null order by m.created_at, organization_id limit 1) o on true
      where p.person_id = $1 and ${MAY_BE_MAILED}`,
    [personId],
  )

/** Ends a mail that was sent or given up: what was added meanwhile is told in another one, not before `quietUntil`. */
export async function endPersonMail(
  database: Queryable,
  mail: ClaimedPersonMail,
  { now, hourAt, sent, quietUntil }: { now: Date; hourAt: Date; sent: number; quietUntil: Date | null },
): Promise<void> {
  const set = `count = count - $1, items = items[greatest(1, cardinality(items) - (count - $1) + 1) :], since = $2, attempts = 0,
               hour_at = $3, sent = $4, quiet_until = $5,
               next_attempt_at = case when count > $1 then coalesce($5, $2::timestamptz) end`
  await endClaim(database, PERSON_MAILS, mail, set, [mail.count, now, hourAt, sent, quietUntil])
}
