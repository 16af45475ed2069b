import type { Queryable } from '../../database/database.js'
import { listRows, listValues } from '../../database/queries.js'
import type { ChannelRole } from '../../interface/generated/types.js'
import type { ByAndAt } from '../approval.store.js'

/** A role in a channel, with the grant of its right to approve. */
export interface ChannelRoleRow extends ChannelRole {
  granted: ByAndAt
}

/** Returns those of the channels that exist, and blocks their deletion until the transaction ends. */
export const holdChannels = (tx: Queryable, organizationId: string, channelIds: readonly string[]): Promise<string[]> =>
  listValues(
    tx,
    `select channel_id from channels
      where organization_id = $1 and channel_id = any($2::text[]) and deleted_at is null
      order by channel_id for key share`,
    [organizationId, channelIds],
  )

interface StoredRole extends ChannelRole {
  by: string | null
  at: Date | null
}

export async function listChannelRoles(
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<ChannelRoleRow[]> {
  const rows = await listRows<StoredRole>(
    tx,
    `select channel_id as "channelId", role, may_approve as "mayApprove", approval_granted_by as by, approval_granted_at as at
       from membership_channels where organization_id = $1 and person_id = $2`,
    [organizationId, personId],
  )
  return rows.map(({ by, at, ...role }) => ({ ...role, granted: { by, at } }))
}

export async function replaceChannelRoles(
  tx: Queryable,
  organizationId: string,
  personId: string,
  roles: readonly ChannelRoleRow[],
): Promise<void> {
  await tx.query('delete from membership_channels where organization_id = $1 and person_id = $2', [
    organizationId,
    personId,
  ])
  if (roles.length === 0) return
  await tx.query(
    `insert into membership_channels
            (organization_id, person_id, channel_id, role, may_approve, approval_granted_at, approval_granted_by)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::boolean[], $6::timestamptz[], $7::text[])`,
    [
      organizationId,
      personId,
      roles.map(({ channelId }) => channelId),
      roles.map(({ role }) => role),
      roles.map(({ mayApprove }) => mayApprove),
      roles.map(({ granted }) => granted.at),
      roles.map(({ granted }) => granted.by),
    ],
  )
}

/** Records a grant of the right to approve in the organization, unless the stored one is later. */
export async function noteLaterGrant(
  tx: Queryable,
  organizationId: string,
  personId: string,
  { by, at }: ByAndAt,
): Promise<void> {
  await tx.query(
    `update memberships set approval_granted_at = $3, approval_granted_by = $4
      where organization_id = $1 and person_id = $2 and may_approve
        and (approval_granted_at is null or approval_granted_at <= $3)`,
    [organizationId, personId, at, by],
  )
}
