import type { Queryable } from '../database/database.js'
import { findRow, listRows, listValues } from '../database/queries.js'

/** The actor and the instant of a grant or of its end. Both are null if that is unknown or never happened. */
export interface ByAndAt {
  /** In the form `user:<id>` or `operator:<name>`. */
  by: string | null
  at: Date | null
}

/** Returns whether the organization requires four eyes, and who last switched that off. */
export async function findFourEyes(
  tx: Queryable,
  organizationId: string,
): Promise<{ fourEyes: boolean; ended: ByAndAt }> {
  const { rows } = await tx.query<{ four_eyes: boolean } & ByAndAt>(
    `select four_eyes, four_eyes_ended_by as by, four_eyes_ended_at as at
       from organizations where organization_id = $1 and deleted_at is null`,
    [organizationId],
  )
  const { four_eyes = false, by = null, at = null } = rows[0] ?? {}
  return { fourEyes: four_eyes, ended: { by, at } }
}

/**
 * Lists who granted the person the right to approve: in the organization (`channel_id` is null) and in each channel with
 * a different role. Empty for an owner, who needs no grant.
 */
export const listApprovalGrants = (
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<(ByAndAt & { channel_id: string | null })[]> =>
  listRows(
    tx,
    `select channel_id, by, at
       from (select person_id, null as channel_id, may_approve, approval_granted_by as by, approval_granted_at as at
               from memberships where organization_id = $1 and person_id = $2
              union all
             select person_id, channel_id, may_approve, approval_granted_by, approval_granted_at
               from membership_channels where organization_id = $1 and person_id = $2) g
       join people using (person_id)
      where may_approve and not owner`,
    [organizationId, personId],
  )

/** Returns who last changed the addresses to which writers may send review links. */
export const findReviewersChange = async (tx: Queryable, organizationId: string): Promise<ByAndAt> =>
  (await findRow<ByAndAt>(
    tx,
    'select reviewers_set_by as by, reviewers_set_at as at from organizations where organization_id = $1',
    [organizationId],
  )) ?? { by: null, at: null }

/** Returns who issued the operator token. */
export const findTokenGrant = (tx: Queryable, name: string): Promise<ByAndAt | undefined> =>
  findRow(
    tx,
    `select created_by_type || coalesce(':' || created_by_id, '') as by, created_at as at
       from operator_tokens where name = $1`,
    [name],
  )

/** Returns the actor and its chain of issuers: who issued that credential, who issued the issuer's, and so on. */
export const findActorsBehind = (tx: Queryable, organizationId: string, actor: string): Promise<string[]> =>
  listValues(
    tx,
    `with recursive issued (actor, issuer) as (
       select 'operator:' || name, created_by_type || coalesce(':' || created_by_id, '') from operator_tokens
        union all
       select 'key:' || key_id, created_by_type || coalesce(':' || created_by_id, '') from api_keys
        where organization_id = $1 and created_by_type is not null
     ), behind (actor) as (
       select $2::text
        union
       select issuer from issued join behind using (actor)
     )
     select actor from behind`,
    [organizationId, actor],
  )
