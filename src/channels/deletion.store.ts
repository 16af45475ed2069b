import type { Queryable } from '../database/database.js'

/** A workspace or channel that is being deleted, or is about to be. */
export interface Doomed {
  name: string
  /** Null while the deletion has not begun. */
  deleted_at: Date | null
}

/** Locks the workspace for its deletion, also one whose deletion has begun: nothing can be connected to it meanwhile. */
export async function lockDoomedWorkspace(
  tx: Queryable,
  organizationId: string,
  workspaceId: string,
): Promise<Doomed | undefined> {
  const { rows } = await tx.query<Doomed>(
    'select name, deleted_at from workspaces where organization_id = $1 and workspace_id = $2 for update',
    [organizationId, workspaceId],
  )
  return rows[0]
}

/** From the end of the transaction on the workspace is gone for every caller. */
export async function markWorkspaceDeleted(
  tx: Queryable,
  organizationId: string,
  workspaceId: string,
  at: Date,
): Promise<void> {
  await tx.query('update workspaces set deleted_at = $3 where organization_id = $1 and workspace_id = $2', [
    organizationId,
    workspaceId,
    at,
  ])
}

/** With its connections, and the VIP marks that are left on them. */
export async function deleteWorkspaceRow(tx: Queryable, organizationId: string, workspaceId: string): Promise<void> {
  const key = [organizationId, workspaceId]
  await tx.query('delete from workspace_channels where organization_id = $1 and workspace_id = $2', key)
  await tx.query('delete from workspaces where organization_id = $1 and workspace_id = $2', key)
}

/** The same for a channel, unless it is deleted and emptied: then there is none. */
export async function lockDoomedChannel(
  tx: Queryable,
  organizationId: string,
  channelId: string,
): Promise<Doomed | undefined> {
  const { rows } = await tx.query<Doomed>(
    `select name, deleted_at from channels
      where organization_id = $1 and channel_id = $2 and emptied_at is null for update`,
    [organizationId, channelId],
  )
  return rows[0]
}

/** From the end of the transaction on the channel is gone for every caller, and its access token for good. */
export async function markChannelDeleted(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  at: Date,
): Promise<void> {
  await tx.query(
    `update channels set deleted_at = $3, access_token_sealed = null, token_problem = null
      where organization_id = $1 and channel_id = $2`,
    [organizationId, channelId, at],
  )
}

/** Deletes the connections of a deleted channel. Its row stays for the posts that name it. */
export async function markChannelEmptied(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  at: Date,
): Promise<void> {
  const key = [organizationId, channelId]
  await tx.query('delete from workspace_channels where organization_id = $1 and channel_id = $2', key)
  await tx.query('update channels set emptied_at = $3 where organization_id = $1 and channel_id = $2', [...key, at])
}

/** The ids of all channels, deleted ones included. */
export async function listAllChannelIds(database: Queryable, organizationId: string): Promise<string[]> {
  const { rows } = await database.query<{ channel_id: string }>(
    'select channel_id from channels where organization_id = $1 order by channel_id',
    [organizationId],
  )
  return rows.map(({ channel_id }) => channel_id)
}

/** Deletes every workspace, channel and connection. No conversation and no post may be left. */
export async function deleteAllChannels(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query('delete from workspace_channels where organization_id = $1', [organizationId])
  await tx.query('delete from workspaces where organization_id = $1', [organizationId])
  await tx.query('delete from channels where organization_id = $1', [organizationId])
}
