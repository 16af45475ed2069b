import type { Database, Queryable } from '../database/database.js'
import type { EventRow } from '../events/events.store.js'

export type MailKind = 'invitation' | 'approval' | 'post_failed' | 'token_refused' | 'key_expiring'
export type GatheredKind = Exclude<MailKind, 'invitation'>

export interface ClaimedMail {
  organization_id: string
  mail_id: string
  kind: MailKind
  person_id: string | null
  invitation_id: string | null
  secret_sealed: string | null
  count: number
  since: Date
  attempts: number
  leased_by: string
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

/**
 * Counts an event for each member whom it concerns: who approves, or the admins. The next mail to each tells of all that was
 * counted until then.
 */
export async function countForMembers(
  tx: Queryable,
  { organization_id, at }: Pick<EventRow, 'organization_id' | 'at'>,
  kind: GatheredKind,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into mails (organization_id, mail_id, kind, person_id, count, since, next_attempt_at)
     select organization_id, $2::text || ':' || person_id, $2::text, person_id, 1, $3::timestamptz, $4::timestamptz
       from memberships join people using (person_id)
      where organization_id = $1 and active and notify and case when $2::text = 'approval' then may_approve else role = 'ADMIN' end
      order by person_id
         on conflict (organization_id, mail_id) do update
        set count = mails.count + 1, since = case when mails.count = 0 then excluded.since else mails.since end,
            next_attempt_at = coalesce(mails.next_attempt_at, greatest(excluded.next_attempt_at, mails.quiet_until))`,
    [organization_id, kind, at, now],
  )
}

/** Tells if any may be due. It only reads, because it is asked every second. */
export async function hasDueMails(database: Queryable, now: Date): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    'select exists (select organization_id from mails where next_attempt_at <= $1) as found',
    [now],
  )
  return rows[0]!.found
}

/**
 * Takes the one that is due the longest of the next organization after `last`, by id and round again, so that the many mails of one
 * do not delay those of another; undefined when there is none.
 */
export async function claimMail(
  database: Database,
  { now, leaseMs, holder, last }: { now: Date; leaseMs: number; holder: string; last: string },
): Promise<ClaimedMail | undefined> {
  const { rows } = await database.query<ClaimedMail>(
    // Materialized: run again for each row of a join, the select would take another mail each time.
    `with due as materialized (
       select organization_id, mail_id from mails
        where next_attempt_at <= $1 and (leased_until is null or leased_until <= $1)
        order by organization_id <= $4, organization_id, next_attempt_at limit 1 for update skip locked)
     update mails m set leased_by = $3, leased_until = $2 from due
      where m.organization_id = due.organization_id and m.mail_id = due.mail_id
  returning m.organization_id, m.mail_id, m.kind, m.person_id, m.invitation_id, m.secret_sealed, m.count, m.since,
            m.attempts, m.leased_by, m.quiet_until`,
    [now, new Date(now.getTime() + leaseMs), holder, last],
  )
  return rows[0]
}

export interface Recipient {
  address: string
  /** Of an invitation, whose receiver has none yet, empty. */
  name: string
  organization_name: string
}

/** Whom it goes to, as it is now; undefined when it is for no one any more. */
export async function findRecipient(
  database: Queryable,
  { organization_id, kind, person_id, invitation_id }: ClaimedMail,
  now: Date,
): Promise<Recipient | undefined> {
  const { rows } =
    kind === 'invitation'
      ? await database.query<Recipient>(
          `select i.mail as address, '' as name, o.name as organization_name
             from invitations i join organizations o using (organization_id)
            where organization_id = $1 and invitation_id = $2 and expires_at > $3 and o.deleted_at is null`,
          [organization_id, invitation_id, now],
        )
      : await database.query<Recipient>(
          `select p.mail as address, p.name, o.name as organization_name
             from memberships m join people p using (person_id) join organizations o using (organization_id)
            where organization_id = $1 and person_id = $2 and p.active and m.notify and o.active and o.deleted_at is null
              and case when $3::text = 'approval' then m.may_approve else m.role = 'ADMIN' end`,
          [organization_id, person_id, kind],
        )
  return rows[0]
}

/** Ends the mail, sent or given up: what was counted meanwhile is told of later, not before `quietUntil`. */
export async function endMail(
  database: Queryable,
  { organization_id, mail_id, leased_by, kind, count }: ClaimedMail,
  quietUntil: Date,
): Promise<void> {
  if (kind === 'invitation') {
    await database.query('delete from mails where organization_id = $1 and mail_id = $2 and leased_by = $3', [
      organization_id,
      mail_id,
      leased_by,
    ])
    return
  }
  await database.query(
    `update mails
        set count = count - $4, since = $5, attempts = 0, quiet_until = $5, leased_by = null, leased_until = null,
            next_attempt_at = case when count > $4 then $5::timestamptz end
      where organization_id = $1 and mail_id = $2 and leased_by = $3`,
    [organization_id, mail_id, leased_by, count, quietUntil],
  )
}

export async function retryMail(
  database: Queryable,
  { organization_id, mail_id, leased_by }: ClaimedMail,
  nextAttemptAt: Date,
): Promise<void> {
  await database.query(
    `update mails set attempts = attempts + 1, next_attempt_at = $4, leased_by = null, leased_until = null
      where organization_id = $1 and mail_id = $2 and leased_by = $3`,
    [organization_id, mail_id, leased_by, nextAttemptAt],
  )
}
