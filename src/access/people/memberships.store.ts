import type { Queryable } from '../../database/database.js'
import type { Role } from '../../interface/people.js'
import { limit } from '../../lib/limits.js'
import { hasSecondFactor } from './people.store.js'

export interface MembershipRow {
  role: Role
  may_approve: boolean
}

export interface MemberRow extends MembershipRow {
  person_id: string
  name: string
  mail: string
  active: boolean
  mail_proven_at: Date | null
  second_factor: boolean
  created_at: Date
}

/**
 * Finds the membership of a person, and the state of its organization; undefined also for one that is being
 * deleted.
 */
export async function findMembership(
  database: Queryable,
  organizationId: string,
  personId: string,
): Promise<(MembershipRow & { organization_active: boolean; require_second_factor: boolean }) | undefined> {
  const { rows } = await database.query<
    MembershipRow & { organization_active: boolean; require_second_factor: boolean }
  >(
    `select role, may_approve, active as organization_active, require_second_factor
       from memberships join organizations using (organization_id)
      where organization_id = $1 and person_id = $2 and deleted_at is null`,
    [organizationId, personId],
  )
  return rows[0]
}

export interface OwnMembershipRow extends MembershipRow {
  organization_id: string
  name: string
  active: boolean
  time_zone: string
  four_eyes: boolean
  require_second_factor: boolean
}

/** The organizations of a person by name; with `all` every organization, role null where the person is no member. */
export async function listOwnMemberships(
  database: Queryable,
  personId: string,
  all: boolean,
): Promise<(Omit<OwnMembershipRow, 'role'> & { role: Role | null })[]> {
  const { rows } = await database.query<OwnMembershipRow>(
    `select organization_id, name, active, time_zone, four_eyes, require_second_factor, role,
            coalesce(may_approve, false) as may_approve
       from organizations
       left join (select * from memberships where person_id = $1) own using (organization_id)
      where deleted_at is null and ($2 or role is not null)
      order by role is null, name, organization_id
      limit $3`,
    [personId, all, limit('organizationsOfMe')],
  )
  return rows
}

const MEMBER = `person_id, name, mail, active, mail_proven_at, role, may_approve, m.created_at,
  ${hasSecondFactor('m.person_id')} as second_factor`

/** By name. */
export async function listMemberRows(database: Queryable, organizationId: string): Promise<MemberRow[]> {
  const { rows } = await database.query<MemberRow>(
    `select ${MEMBER} from memberships m join people using (person_id)
      where organization_id = $1 order by name, person_id`,
    [organizationId],
  )
  return rows
}

export async function findMember(
  database: Queryable,
  organizationId: string,
  personId: string,
): Promise<MemberRow | undefined> {
  const { rows } = await database.query<MemberRow>(
    `select ${MEMBER} from memberships m join people using (person_id) where organization_id = $1 and person_id = $2`,
    [organizationId, personId],
  )
  return rows[0]
}

/** True for the mail address of a member (mail-address.ts says which addresses are the same). */
export async function isMemberMail(database: Queryable, organizationId: string, mail: string): Promise<boolean> {
  const { rows } = await database.query(
    `select from memberships join people using (person_id)
      where organization_id = $1 and lower(mail collate "C") = lower($2::text collate "C")`,
    [organizationId, mail],
  )
  return rows.length > 0
}

/**
 * False when the person is a member already. `grantedBy`: who gives approval, as `user:<id>` or `operator:<name>`.
 */
export async function insertMembership(
  tx: Queryable,
  membership: {
    organizationId: string
    personId: string
    role: Role
    mayApprove: boolean
    at: Date
    grantedBy?: string | null
  },
): Promise<boolean> {
  const { organizationId, personId, role, mayApprove, at, grantedBy = null } = membership
  const { rowCount } = await tx.query(
    `insert into memberships (organization_id, person_id, role, may_approve, created_at,
                              approval_granted_at, approval_granted_by)
     values ($1, $2, $3, $4, $5, case when $4 then $5::timestamptz end, case when $4 then $6 end) on conflict do nothing`,
    [organizationId, personId, role, mayApprove, at, grantedBy],
  )
  return rowCount === 1
}

/** Tells if the member gets mails; undefined for a person who is no member. */
export async function findNotify(
  database: Queryable,
  organizationId: string,
  personId: string,
): Promise<boolean | undefined> {
  const { rows } = await database.query<{ notify: boolean }>(
    'select notify from memberships where organization_id = $1 and person_id = $2',
    [organizationId, personId],
  )
  return rows[0]?.notify
}

/** False for a person who is no member. */
export async function setNotify(
  tx: Queryable,
  organizationId: string,
  personId: string,
  notify: boolean,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update memberships set notify = $3 where organization_id = $1 and person_id = $2',
    [organizationId, personId, notify],
  )
  return rowCount === 1
}

/** Gives a membership to another account of the same person, which keeps its own where it has one. */
export async function moveMembership(
  tx: Queryable,
  organizationId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query(
    `update memberships set person_id = $3
      where organization_id = $1 and person_id = $2
        and not exists (select from memberships where organization_id = $1 and person_id = $3)`,
    [organizationId, from, to],
  )
  await deleteMembership(tx, organizationId, from)
}

/** Changes what is given; false for a person who is no member. `grant`: who gives approval, and when. */
export async function updateMembership(
  tx: Queryable,
  organizationId: string,
  personId: string,
  changes: { role?: Role; mayApprove?: boolean },
  grant?: { by: string; at: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update memberships
        set role = coalesce($3, role), may_approve = coalesce($4, may_approve),
            approval_granted_at = case when $4 = may_approve then approval_granted_at when $4 then $5
                                       when $4 is null then approval_granted_at end,
            approval_granted_by = case when $4 = may_approve then approval_granted_by when $4 then $6
                                       when $4 is null then approval_granted_by end
      where organization_id = $1 and person_id = $2`,
    [organizationId, personId, changes.role ?? null, changes.mayApprove ?? null, grant?.at ?? null, grant?.by ?? null],
  )
  return rowCount === 1
}

export async function deleteMembership(tx: Queryable, organizationId: string, personId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from memberships where organization_id = $1 and person_id = $2', [
    organizationId,
    personId,
  ])
  return rowCount === 1
}
