import type { Queryable } from '../database/database.js'
import { findRow } from '../database/queries.js'
import type { EventRow } from '../events/events.store.js'
import { type Claimed, deleteClaimed, endClaim, type WorkTable } from '../work/claims.store.js'
import { READER_COLUMNS, type ReaderRow } from './reader.js'

export type MailKind = 'invitation' | 'review_link' | 'approval' | 'post_failed' | 'token_refused' | 'key_expiring'
export type GatheredKind = Exclude<MailKind, 'invitation' | 'review_link'>

export interface ClaimedMail extends Claimed {
  organization_id: string
  mail_id: string
  kind: MailKind
  person_id: string | null
  invitation_id: string | null
  link_id: string | null
  secret_sealed: string | null
  count: number
  since: Date
  attempts: number
  /** Set by the mail before. */
  quiet_until: Date | null
}

export async function insertInvitationMail(tx: Queryable, event: EventRow, now: Date): Promise<void> {
  await tx.query(
    `insert into mails (organization_id, mail_id, kind, invitation_id, secret_sealed, count, since, next_attempt_at)
     select $1, $2, 'invitation', $3, $4, 1, $5, $6 from organizations where organization_id = $1 for key share`,
    [event.organization_id, event.event_id, event.data.invitationId, event.secret_sealed, event.at, now],
  )
}

export async function insertReviewLinkMail(tx: Queryable, event: EventRow, now: Date): Promise<void> {
  await tx.query(
    `insert into mails (organization_id, mail_id, kind, link_id, secret_sealed, count, since, next_attempt_at)
     select $1, $2, 'review_link', $3, $4, 1, $5, $6 from organizations where organization_id = $1 for key share`,
    [event.organization_id, event.event_id, event.data.reviewLinkId, event.secret_sealed, event.at, now],
  )
}

/**
 * Counts an event for each who may approve its post, or each admin. The next mail to each of them tells all that was counted
 * until then.
 * An admin whose own post failed gets the mail about news in its place, which says why.
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
  /** Empty for an invitation, whose receiver has no name yet. */
  name: string
  organization_name: string
}

/** As SQL: the account `p` whose proven address is this one; an address has one at most. It tells how its person reads. */
const isAccountOf = (mail: string): string =>
  `lower(p.mail collate "C") = lower(${mail} collate "C") and p.active and p.mail_proven_at is not null and p.bound_to is null`

/** Reads who gets the mail, as it is now. Undefined when it is for no one any more. */
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

/** Ends a mail that was sent or given up: what was counted meanwhile is told later, not before `quietUntil`. */
export async function endMail(database: Queryable, mail: ClaimedMail, quietUntil: Date): Promise<void> {
  if (mail.kind === 'invitation' || mail.kind === 'review_link') await deleteClaimed(database, MAILS, mail)
  else {
    const set = `count = count - $1, since = $2, attempts = 0, quiet_until = $2,
                 next_attempt_at = case when count > $1 then $2::timestamptz end`
    await endClaim(database, MAILS, mail, set, [mail.count, quietUntil])
  }
}
