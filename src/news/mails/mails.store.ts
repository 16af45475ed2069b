import type { Queryable } from '../../database/database.js'
import { findRow, listRows, readRow } from '../../database/queries.js'
import type { InboxDetail } from '../../interface/generated/types.js'
import type { InboxKind } from '../../interface/inbox.js'
import { limit } from '../../lib/limits.js'
import { deleteClaimed, endClaim, type WorkTable } from '../../work/claims.store.js'
import type { EventRow } from '../events.store.js'
import type { PersonNotice } from '../notify-person.js'
import type { QueuedMail } from './mail-queue.js'
import { READER_COLUMNS, type ReaderRow } from './reader.js'

/** The kinds of emails about an account. */
export type PersonMailKind = PersonNotice | 'operator-token-expiring' | 'password-link'

export type MailKind = 'invitation' | 'review_link' | 'approval' | 'post_failed' | 'token_refused' | 'key_expiring'
export type GatheredKind = Exclude<MailKind, 'invitation' | 'review_link'>

/** An email about everything that is counted until it is sent. */
interface GatheredMail extends QueuedMail {
  count: number
}

/**
 * Ends an email that was sent or given up. What was counted in the meantime goes into another one, not before
 * `quietUntil`.
 */
export const endGathered = (
  database: Queryable,
  table: WorkTable,
  { mail, now, quietUntil }: { mail: GatheredMail; now: Date; quietUntil: Date | null },
  more: { set: string; values: readonly unknown[] } = { set: '', values: [] },
): Promise<boolean> =>
  endClaim(
    database,
    table,
    mail,
    `count = count - $1, since = $2, attempts = 0, quiet_until = $3,
     next_attempt_at = case when count > $1 then coalesce($3, $2::timestamptz) end${more.set}`,
    [mail.count, now, quietUntil, ...more.values],
  )

export interface ClaimedMail extends GatheredMail {
  organization_id: string
  mail_id: string
  kind: MailKind
  person_id: string | null
  invitation_id: string | null
  link_id: string | null
  secret_sealed: string | null
  /** Set by the previous email. */
  quiet_until: Date | null
}

/** The column with the id behind the link in an email. */
const LINK_COLUMNS = { invitation: 'invitation_id', review_link: 'link_id' } as const

/** Stores an email with a link; the token is the secret of the event. */
export async function insertLinkMail(
  tx: Queryable,
  kind: keyof typeof LINK_COLUMNS,
  { organization_id: organizationId, event_id: eventId, data, secret_sealed: secret, at }: EventRow,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into mails (organization_id, mail_id, kind, ${LINK_COLUMNS[kind]}, secret_sealed, count, since, next_attempt_at)
     select $1, $2, $3, $4, $5, 1, $6, $7 from organizations where organization_id = $1 for key share`,
    [organizationId, eventId, kind, data.invitationId ?? data.reviewLinkId, secret, at, now],
  )
}

/**
 * Counts an event for everyone who may approve its post, or for every admin. The next email to each of them reports
 * everything counted until then. An admin whose own post failed gets the email about inbox entries instead, which
 * gives the reason.
 */
export async function countForMembers(
  tx: Queryable,
  { organization_id, at, data }: Pick<EventRow, 'organization_id' | 'at' | 'data'>,
  kind: GatheredKind,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into mails (organization_id, mail_id, kind, person_id, count, since, next_attempt_at)
     select organization_id, $2::text || ':' || person_id, $2::text, person_id, 1, $3::timestamptz, $4::timestamptz
       from memberships m join people using (person_id)
      where organization_id = $1 and active and notify and case when $2::text = 'approval' then member_may_for_post(organization_id, person_id, $5, 'approve')
                                                               else role = 'ADMIN' end
        and not ($2::text = 'post_failed' and 'failed' = any(mail_kinds) and exists (
              select from inbox_entries e
               where e.organization_id = $1 and e.person_id = m.person_id and e.scheduled_post_id = $5 and e.kind = 'failed'))
      order by person_id
         on conflict (organization_id, mail_id) do update
        set count = mails.count + 1, since = case when mails.count = 0 then excluded.since else mails.since end,
            next_attempt_at = coalesce(mails.next_attempt_at, greatest(excluded.next_attempt_at, mails.quiet_until))`,
    [organization_id, kind, at, now, data.scheduledPostId ?? null],
  )
}

export const MAILS: WorkTable = {
  name: 'mails',
  key: ['organization_id', 'mail_id'],
  columns: `t.organization_id, t.mail_id, t.kind, t.person_id, t.invitation_id, t.link_id, t.secret_sealed, t.count, t.since, t.attempts,
            t.quiet_until`,
  fair: {
    by: 'organization_id',
    max: 1,
    among: 'select distinct organization_id from mails where next_attempt_at <= $1',
  },
}

export interface Recipient extends ReaderRow {
  address: string
  /** Empty for an invitation, because the recipient has no name yet. */
  name: string
  organization_name: string
}

/** SQL for the account `p` with this proven address; there is at most one. It determines the language of the email. */
const isAccountOf = (mail: string): string =>
  `lower(p.mail collate "C") = lower(${mail} collate "C") and p.active and p.mail_proven_at is not null and p.bound_to is null`

/** Reads the current recipient of the email; undefined if there no longer is one. */
export function findRecipient(
  database: Queryable,
  { organization_id, kind, person_id, invitation_id, link_id }: ClaimedMail,
  now: Date,
): Promise<Recipient | undefined> {
  if (kind === 'invitation') {
    return findRow(
      database,
      `select i.mail as address, '' as name, o.name as organization_name, ${READER_COLUMNS}
         from invitations i join organizations o using (organization_id)
         left join people p on ${isAccountOf('i.mail')}
        where organization_id = $1 and invitation_id = $2 and expires_at > $3 and o.deleted_at is null`,
      [organization_id, invitation_id, now],
    )
  }
  if (kind === 'review_link') {
    return findRow(
      database,
      `select l.mail as address, l.name, o.name as organization_name, ${READER_COLUMNS}
         from review_links l join organizations o using (organization_id)
         left join people p on ${isAccountOf('l.mail')}
        where organization_id = $1 and link_id = $2 and expires_at > $3 and o.active and o.deleted_at is null
          and l.mail = any (o.reviewers)`,
      [organization_id, link_id, now],
    )
  }
  return findRow(
    database,
    `select p.mail as address, p.name, o.name as organization_name, ${READER_COLUMNS}
       from memberships m join people p using (person_id) join organizations o using (organization_id)
      where organization_id = $1 and person_id = $2 and p.active and m.notify and o.active and o.deleted_at is null
        and case when $3::text = 'approval' then member_may_anywhere(organization_id, person_id, 'approve')
                 else m.role = 'ADMIN' end`,
    [organization_id, person_id, kind],
  )
}

/** Ends an email that was sent or given up. An email with a link is deleted. */
export async function endMail(database: Queryable, mail: ClaimedMail, quietUntil: Date): Promise<void> {
  if (mail.kind in LINK_COLUMNS) await deleteClaimed(database, MAILS, mail)
  else await endGathered(database, MAILS, { mail, now: quietUntil, quietUntil })
}

/** One occurrence that an email lists. */
export interface PersonMailItem {
  /** ISO 8601, as endsAt. */
  at: string
  address?: string
  browser?: string
  /** The name of an operator token, and when it expires. */
  name?: string
  endsAt?: string
}

export interface ClaimedPersonMail extends GatheredMail {
  person_id: string
  kind: PersonMailKind
  /** The latest occurrences as JSON, oldest first. */
  items: string[]
  hour_at: Date | null
  sent: number
}

const ITEMS_MAX = limit('noticeItems')

/**
 * The condition for all emails about an account, notices and reminders: an unproven address may belong to someone
 * else.
 */
const MAY_BE_MAILED = 'p.active and p.mail_proven_at is not null'

/**
 * Adds an occurrence to the next email of this kind: to one person, to every owner of the server, or to the accounts
 * of an email address that have a password.
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
  /** The path of the link in the email. */
  path?: string
}

/**
 * Returns undefined if the person may no longer be mailed. An email about an account belongs to no organization: the
 * person's first one supplies what the person has not chosen.
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

/** Ends an email that was sent or given up and counts it in its hour. */
export async function endPersonMail(
  database: Queryable,
  mail: ClaimedPersonMail,
  { now, hourAt, sent, quietUntil }: { now: Date; hourAt: Date; sent: number; quietUntil: Date | null },
): Promise<void> {
  const set = ', hour_at = $4, sent = $5, items = items[greatest(1, cardinality(items) - (count - $1) + 1) :]'
  await endGathered(database, PERSON_MAILS, { mail, now, quietUntil }, { set, values: [hourAt, sent] })
}

export interface ClaimedInboxMail extends GatheredMail {
  organization_id: string
  person_id: string
}

export const INBOX_MAILS: WorkTable = {
  name: 'inbox_mails',
  key: ['organization_id', 'person_id'],
  columns: 't.organization_id, t.person_id, t.count, t.since, t.attempts',
  fair: {
    by: 'organization_id',
    max: 1,
    among: 'select distinct organization_id from inbox_mails where next_attempt_at <= $1',
  },
}

/** An inbox entry as the email shows it. */
export interface MailedEntry {
  entry_id: string
  kind: InboxKind
  scheduled_post_id: string
  actor: string
  /** Null if the actor is not a person. */
  actor_name: string | null
  detail: InboxDetail | null
  text: string
}

export interface InboxReader extends ReaderRow {
  mail: string
  name: string
  /** False if the address may belong to someone else. */
  is_proven: boolean
  organization_name: string
}

/** Returns undefined if the person is no longer a member or wants no emails. */
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

/** Lists the entries for the next email, oldest first. Entries that were read in the meantime need no email. */
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

export interface WaitingMails {
  waiting: number
  /** Emails with failed attempts. */
  failing: number
  /** When the longest-waiting email was due; null if none waits. */
  due_at: Date | null
}

/** Counts the emails of all kinds that were due before the given time and are not sent. */
export const countWaitingMails = (database: Queryable, now: Date): Promise<WaitingMails> =>
  readRow(
    database,
    `select count(*) filter (where next_attempt_at <= $1) as waiting, count(*) filter (where attempts > 0) as failing,
            min(next_attempt_at) filter (where next_attempt_at <= $1) as due_at
       from (select attempts, next_attempt_at from mails where next_attempt_at is not null
             union all select attempts, next_attempt_at from person_mails where next_attempt_at is not null
             union all select attempts, next_attempt_at from inbox_mails where next_attempt_at is not null) m`,
    [now],
  )
