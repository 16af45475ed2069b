import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, listValues } from '../../database/queries.js'
import { ApiError } from '../../errors.js'
import type { Principal } from '../../http/principal.js'
import type { ChannelRole, Role } from '../../interface/generated/types.js'
import type { InboxKind } from '../../interface/inbox.js'
import { limit } from '../../lib/limits.js'
import type { OrganizationRow } from '../organizations.store.js'
import { hasSecondFactor } from './people.store.js'

interface MembershipRow {
  role: Role
  may_approve: boolean
}

/** A membership with its roles by channel; null if there are none, as for most people. */
interface WithChannels extends MembershipRow {
  channels: ChannelRole[] | null
}

/** SQL for the roles by channel of the membership with this alias, ordered by channel id. */
const channelsOf = (membership: string): string => `(
  select json_agg(json_build_object('channelId', c.channel_id, 'role', c.role, 'mayApprove', c.may_approve)
                  order by c.channel_id collate "C")
    from membership_channels c
   where c.organization_id = ${membership}.organization_id and c.person_id = ${membership}.person_id) as channels`

export interface MemberRow extends WithChannels {
  person_id: string
  name: string
  mail: string
  active: boolean
  mail_proven_at: Date | null
  second_factor: boolean
  created_at: Date
}

/**
 * Returns the membership of a person with the state of its organization; undefined if there is none or the
 * organization is being deleted.
 */
export const findMembership = (
  database: Queryable,
  organizationId: string,
  personId: string,
): Promise<(WithChannels & { organization_active: boolean; require_second_factor: boolean }) | undefined> =>
  findRow(
    database,
    `select role, may_approve, active as organization_active, require_second_factor, ${channelsOf('memberships')}
       from memberships join organizations using (organization_id)
      where organization_id = $1 and person_id = $2 and deleted_at is null`,
    [organizationId, personId],
  )

/**
 * Lists the organizations of a person by name. `all` lists every organization, with role null if the person is not a
 * member.
 */
export const listOwnMemberships = (
  database: Queryable,
  personId: string,
  all: boolean,
): Promise<(Omit<OrganizationRow, 'created_at'> & Omit<WithChannels, 'role'> & { role: Role | null })[]> =>
  listRows(
    database,
    `select organization_id, name, active, time_zone, language, currency, four_eyes, require_second_factor, automation, reviewers, role,
            coalesce(may_approve, false) as may_approve, ${channelsOf('own')}
       from organizations
       left join (select * from memberships where person_id = $1) own using (organization_id)
      where deleted_at is null and ($2 or role is not null)
      order by role is null, name, organization_id
      limit $3`,
    [personId, all, limit('organizationsOfMe')],
  )

const MEMBER = `person_id, name, mail, active, mail_proven_at, role, may_approve, m.created_at, ${channelsOf('m')},
  ${hasSecondFactor('m.person_id')} as second_factor`

/** Lists the members by name. */
export const listMemberRows = (database: Queryable, organizationId: string): Promise<MemberRow[]> =>
  listRows(
    database,
    `select ${MEMBER} from memberships m join people using (person_id)
      where organization_id = $1 order by name, person_id`,
    [organizationId],
  )

export const findMember = (
  database: Queryable,
  organizationId: string,
  personId: string,
): Promise<MemberRow | undefined> =>
  findRow(
    database,
    `select ${MEMBER} from memberships m join people using (person_id) where organization_id = $1 and person_id = $2`,
    [organizationId, personId],
  )

/** A locked member, with the grant of the right to approve. */
export interface LockedMemberRow extends MemberRow {
  approval_granted_by: string | null
  approval_granted_at: Date | null
}

/** Locks a member until the transaction ends. */
export async function lockMember(
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<LockedMemberRow | undefined> {
  const key = [organizationId, personId]
  // Two statements, for the reason given in holdMembership.
  const [, row] = await Promise.all([
    tx.query('select from memberships where organization_id = $1 and person_id = $2 for no key update', key),
    findRow<LockedMemberRow>(
      tx,
      `select ${MEMBER}, approval_granted_by, approval_granted_at from memberships m join people using (person_id)
        where organization_id = $1 and person_id = $2`,
      key,
    ),
  ])
  return row
}

/** Returns whether a member has this email address (mail-address.ts defines which addresses are the same). */
export const isMemberMail = (database: Queryable, organizationId: string, mail: string): Promise<boolean> =>
  hitsRow(
    database,
    `select from memberships join people using (person_id)
      where organization_id = $1 and lower(mail collate "C") = lower($2::text collate "C")`,
    [organizationId, mail],
  )

/**
 * Returns false if the person is already a member. `grantedBy` is who grants approval: `user:<id>` or
 * `operator:<name>`.
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

/** Returns whether the member gets emails, and about which kinds of news; undefined if the person is not a member. */
export const findNotify = (
  database: Queryable,
  organizationId: string,
  personId: string,
): Promise<{ notify: boolean; mail_kinds: InboxKind[] } | undefined> =>
  findRow(database, 'select notify, mail_kinds from memberships where organization_id = $1 and person_id = $2', [
    organizationId,
    personId,
  ])

/**
 * Returns the kinds after the change. Keeps the current ones if none are given; undefined if the person is not a
 * member.
 */
export const setNotify = (
  tx: Queryable,
  organizationId: string,
  personId: string,
  { mails, kinds }: { mails: boolean; kinds?: readonly InboxKind[] },
): Promise<InboxKind[] | undefined> =>
  findValue(
    tx,
    `update memberships set notify = $3, mail_kinds = coalesce($4, mail_kinds)
      where organization_id = $1 and person_id = $2 returning mail_kinds`,
    [organizationId, personId, mails, kinds ?? null],
  )

/** Moves a membership to another account of the same person, which keeps its own membership if it has one. */
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

/** Updates the given fields; false if the person is not a member. `grant` is who grants approval, and when. */
export const updateMembership = (
  tx: Queryable,
  organizationId: string,
  personId: string,
  changes: { role?: Role; mayApprove?: boolean },
  grant?: { by: string; at: Date },
): Promise<boolean> =>
  hitsRow(
    tx,
    `update memberships
        set role = coalesce($3, role), may_approve = coalesce($4, may_approve),
            approval_granted_at = case when $4 = may_approve then approval_granted_at when $4 then $5
                                       when $4 is null then approval_granted_at end,
            approval_granted_by = case when $4 = may_approve then approval_granted_by when $4 then $6
                                       when $4 is null then approval_granted_by end
      where organization_id = $1 and person_id = $2`,
    [organizationId, personId, changes.role ?? null, changes.mayApprove ?? null, grant?.at ?? null, grant?.by ?? null],
  )

export const deleteMembership = (tx: Queryable, organizationId: string, personId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from memberships where organization_id = $1 and person_id = $2', [organizationId, personId])

/** Lists the person's organizations, except those that are being deleted. */
export const listOrganizationsOf = (database: Queryable, personId: string): Promise<string[]> =>
  listValues(
    database,
    `select organization_id from memberships join organizations using (organization_id)
      where person_id = $1 and deleted_at is null order by organization_id`,
    [personId],
  )

/** Lists and locks the administrators of the organization who can sign in. */
const lockAdministrators = (tx: Queryable, organizationId: string): Promise<string[]> =>
  listValues(
    tx,
    `select m.person_id from memberships m join people p on p.person_id = m.person_id
      where m.organization_id = $1 and m.role = 'ADMIN' and p.active
      order by m.person_id for no key update of m`,
    [organizationId],
  )

/** Locks the memberships of an organization that is being deleted. */
export async function lockMembershipsOf(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query('select from memberships where organization_id = $1 order by person_id for update', [organizationId])
}

/**
 * Throws last_administrator if a person would take the rights of the organization's only administrator, including
 * their own. The operator token may, because its holder can appoint another one.
 */
export async function checkLastAdministrator(
  tx: Queryable,
  { organizationId, actor }: Pick<Principal, 'organizationId' | 'actor'>,
  personId: string,
): Promise<void> {
  if (actor.type !== 'user') return
  const administrators = await lockAdministrators(tx, organizationId)
  if (administrators.length === 1 && administrators[0] === personId) throw new ApiError('last_administrator')
}
