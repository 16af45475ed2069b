import type { Database, Queryable } from '../database/database.js'
import { limit } from '../lib/limits.js'

/** One thing that a mail tells of. */
export interface PersonMailItem {
  /** ISO 8601, like endsAt. */
  at: string
  address?: string
  browser?: string
  /** The name of an operator token, and when it ends. */
  name?: string
  endsAt?: string
}

export interface ClaimedPersonMail {
  person_id: string
  kind: string
  /** JSON; the latest of `count`, the oldest first. */
  items: string[]
  count: number
  since: Date
  hour_at: Date | null
  sent: number
  attempts: number
  leased_by: string
}

const ITEMS_MAX = limit('noticeItems')

/**
 * The one condition that says who may be mailed about the account, for notices as well as for reminders to owners: an address
 * that is not proven may be another person's.
 */
const MAY_BE_MAILED = 'p.active and p.mail_proven_at is not null'

/** Adds to what the next mail of the kind tells: to one person, or to every owner of the server. */
export async function countForPeople(
  tx: Queryable,
  to: string | 'owners',
  kind: string,
  { item, at, now }: { item: PersonMailItem; at: Date; now: Date },
): Promise<void> {
  const [personId, toOwners] = to === 'owners' ? [null, true] : [to, false]
  await tx.query(
    `insert into person_mails (person_id, kind, items, count, since, next_attempt_at)
     select p.person_id, $3, array[$4]::text[], 1, $5::timestamptz, $6::timestamptz
       from people p where ${MAY_BE_MAILED} and (p.person_id = $1 or ($2 and p.owner)) order by p.person_id
         on conflict (person_id, kind) do update
        set items = (case when person_mails.count = 0 then '{}' else person_mails.items end || excluded.items)
                    [greatest(1, case when person_mails.count = 0 then 1 else cardinality(person_mails.items) + 2 - $7 end) :],
            count = person_mails.count + 1,
            since = case when person_mails.count = 0 then excluded.since else person_mails.since end,
            next_attempt_at = coalesce(person_mails.next_attempt_at,
                                       greatest(excluded.next_attempt_at, person_mails.quiet_until))`,
    [personId, toOwners, kind, JSON.stringify(item), at, now, ITEMS_MAX],
  )
}

/** Tells if any may be due. It only reads, because it is asked every second. */
export async function hasDuePersonMails(database: Queryable, now: Date): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    'select exists (select from person_mails where next_attempt_at <= $1) as found',
    [now],
  )
  return rows[0]!.found
}

/** Takes the one that is due the longest; undefined when there is none. */
export async function claimPersonMail(
  database: Database,
  { now, leaseMs, holder }: { now: Date; leaseMs: number; holder: string },
): Promise<ClaimedPersonMail | undefined> {
  const { rows } = await database.query<ClaimedPersonMail>(
    // Materialized: run again for each row of a join, the select would take another mail each time.
    `with due as materialized (
       select person_id, kind from person_mails
        where next_attempt_at <= $1 and (leased_until is null or leased_until <= $1)
        order by next_attempt_at limit 1 for update skip locked)
     update person_mails m set leased_by = $3, leased_until = $2 from due
      where m.person_id = due.person_id and m.kind = due.kind
  returning m.person_id, m.kind, m.items, m.count, m.since, m.hour_at, m.sent, m.attempts, m.leased_by`,
    [now, new Date(now.getTime() + leaseMs), holder],
  )
  return rows[0]
}

/** Undefined where the person may not be mailed any more. */
export async function findMailablePerson(
  database: Queryable,
  personId: string,
): Promise<{ name: string; mail: string } | undefined> {
  const { rows } = await database.query<{ name: string; mail: string }>(
    `select p.name, p.mail from people p where p.person_id = $1 and ${MAY_BE_MAILED}`,
    [personId],
  )
  return rows[0]
}

/** Ends the mail, sent or given up: what was added meanwhile is told in another one, not before `quietUntil`. */
export async function endPersonMail(
  database: Queryable,
  { person_id, kind, leased_by, count }: ClaimedPersonMail,
  { now, hourAt, sent, quietUntil }: { now: Date; hourAt: Date; sent: number; quietUntil: Date | null },
): Promise<void> {
  await database.query(
    `update person_mails set count = count - $4,
            items = items[greatest(1, cardinality(items) - (count - $4) + 1) :], since = $5, attempts = 0,
            hour_at = $6, sent = $7, quiet_until = $8, leased_by = null, leased_until = null,
            next_attempt_at = case when count > $4 then coalesce($8, $5::timestamptz) end
      where person_id = $1 and kind = $2 and leased_by = $3`,
    [person_id, kind, leased_by, count, now, hourAt, sent, quietUntil],
  )
}

export async function retryPersonMail(
  database: Queryable,
  { person_id, kind, leased_by }: ClaimedPersonMail,
  nextAttemptAt: Date,
): Promise<void> {
  await database.query(
    `update person_mails set attempts = attempts + 1, next_attempt_at = $4, leased_by = null, leased_until = null
      where person_id = $1 and kind = $2 and leased_by = $3`,
    [person_id, kind, leased_by, nextAttemptAt],
  )
}
