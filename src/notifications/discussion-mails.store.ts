import type { Queryable } from '../database/database.js'
import { findRow } from '../database/queries.js'
import { type Claimed, endClaim, type WorkTable } from '../work/claims.store.js'

export interface ClaimedDiscussionMail extends Claimed {
  organization_id: string
  person_id: string
  post_ids: string[]
  count: number
  since: Date
  attempts: number
  /** Set by the mail before. */
  quiet_until: Date | null
}

export const DISCUSSION_MAILS: WorkTable = {
  name: 'discussion_mails',
  key: ['organization_id', 'person_id'],
  columns: 't.organization_id, t.person_id, t.post_ids, t.count, t.since, t.attempts, t.quiet_until',
  fair: {
    by: 'organization_id',
    max: 1,
    among: 'select distinct organization_id from discussion_mails where next_attempt_at <= $1',
  },
}

export interface DiscussionRecipient {
  address: string
  name: string
  organization_name: string
}

/** The person, as long as they are a member who wants mails and may read the organization. */
export const findDiscussionRecipient = (
  database: Queryable,
  { organization_id, person_id }: ClaimedDiscussionMail,
): Promise<DiscussionRecipient | undefined> =>
  findRow(
    database,
    `select p.mail as address, p.name, o.name as organization_name
       from memberships m join people p using (person_id) join organizations o using (organization_id)
      where organization_id = $1 and person_id = $2 and p.active and m.notify and o.active and o.deleted_at is null`,
    [organization_id, person_id],
  )

/** Ends a mail that was sent or given up: what was counted meanwhile is told later, not before `quietUntil`. */
export async function endDiscussionMail(
  database: Queryable,
  mail: ClaimedDiscussionMail,
  quietUntil: Date,
): Promise<void> {
  const set = `count = count - $1, since = $2, attempts = 0, quiet_until = $2,
               next_attempt_at = case when count > $1 then $2::timestamptz end`
  await endClaim(database, DISCUSSION_MAILS, mail, set, [mail.count, quietUntil])
}
