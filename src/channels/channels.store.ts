import type { Queryable } from '../database/database.js'
import { sealedColumn } from '../database/sealed-column.js'
import { ApiError } from '../errors.js'
import type { ChannelType, WorkspaceType } from '../interface/channels.js'

export interface WorkspaceRow {
  workspace_id: string
  name: string
  type: WorkspaceType
}

export interface ChannelRow {
  channel_id: string
  type: ChannelType
  name: string
}

/** A channel and its connection to the platform. */
export interface PlatformChannelRow extends ChannelRow {
  /** Null while the channel is not connected to its platform. */
  access_token_sealed: string | null
  /** The platform's own reason why the token no longer works; null while nothing is known against it. */
  token_problem: string | null
}

const PLATFORM_CHANNEL_COLUMNS = 'channel_id, type, name, access_token_sealed, token_problem'

/** What a channel's sealed token is bound to (lib/seal.ts). */
export const channelTokenContext = (organizationId: string, channelId: string): string =>
  `channel ${organizationId} ${channelId}`

export const sealedChannelTokens = sealedColumn(
  { table: 'channels', id: 'channel_id', column: 'access_token_sealed' },
  channelTokenContext,
)

/** By name, then id. */
export async function listWorkspaceRows(database: Queryable, organizationId: string): Promise<WorkspaceRow[]> {
  const { rows } = await database.query<WorkspaceRow>(
    `select workspace_id, name, type from workspaces where organization_id = $1 order by name, workspace_id`,
    [organizationId],
  )
  return rows
}

/** Throws workspace_not_found, for another organization's workspace as well. */
export async function requireWorkspace(
  database: Queryable,
  organizationId: string,
  workspaceId: string,
): Promise<WorkspaceRow> {
  const { rows } = await database.query<WorkspaceRow>(
    'select workspace_id, name, type from workspaces where organization_id = $1 and workspace_id = $2',
    [organizationId, workspaceId],
  )
  if (rows[0] === undefined) throw new ApiError('workspace_not_found')
  return rows[0]
}

/** Throws workspace_not_found or workspace_not_vip (interface 4.1.2). */
export async function requireVipWorkspace(
  database: Queryable,
  organizationId: string,
  workspaceId: string,
): Promise<WorkspaceRow> {
  const workspace = await requireWorkspace(database, organizationId, workspaceId)
  if (workspace.type !== 'VIP') throw new ApiError('workspace_not_vip')
  return workspace
}

/** By name, then id; those connected to the workspace when one is given. */
export async function listChannelRows(
  database: Queryable,
  organizationId: string,
  workspaceId?: string,
): Promise<PlatformChannelRow[]> {
  const { rows } = await database.query<PlatformChannelRow>(
    `select ${PLATFORM_CHANNEL_COLUMNS} from channels
      where organization_id = $1
        and ($2::text is null or exists (
          select from workspace_channels w
           where w.organization_id = $1 and w.workspace_id = $2 and w.channel_id = channels.channel_id))
      order by name, channel_id`,
    [organizationId, workspaceId ?? null],
  )
  return rows
}

/** Those of the given ids that are channels of the organization, by id. */
export async function findChannels(
  database: Queryable,
  organizationId: string,
  channelIds: readonly string[],
): Promise<Map<string, ChannelRow>> {
  const { rows } = await database.query<ChannelRow>(
    'select channel_id, type, name from channels where organization_id = $1 and channel_id = any($2::text[])',
    [organizationId, channelIds],
  )
  return new Map(rows.map((row) => [row.channel_id, row]))
}

/** Throws channel_not_found: the channel stands in the path. */
export async function requireChannel(database: Queryable, organizationId: string, channelId: string): Promise<void> {
  const { rows } = await database.query('select from channels where organization_id = $1 and channel_id = $2', [
    organizationId,
    channelId,
  ])
  if (rows.length === 0) throw new ApiError('channel_not_found')
}

/**
 * Throws channel_unknown or channel_not_connected: the channel must be connected to the workspace (interface 4.1).
 */
export async function requireConnectedChannel(
  database: Queryable,
  organizationId: string,
  workspaceId: string,
  channelId: string,
): Promise<ChannelRow> {
  const { rows } = await database.query<ChannelRow & { connected: boolean }>(
    `select channel_id, type, name, exists (
              select from workspace_channels w
               where w.organization_id = $1 and w.workspace_id = $2 and w.channel_id = $3) as connected
       from channels where organization_id = $1 and channel_id = $3`,
    [organizationId, workspaceId, channelId],
  )
  if (rows[0] === undefined) throw new ApiError('channel_unknown')
  if (!rows[0].connected) throw new ApiError('channel_not_connected')
  return rows[0]
}

/**
 * Keeps the channel, and its connection to the workspace when one is named, until the transaction ends: who wants to remove
 * them waits. Throws channel_not_found or channel_not_connected when somebody came first.
 */
export async function holdChannel(
  tx: Queryable,
  { organizationId, channelId, workspaceId }: { organizationId: string; channelId: string; workspaceId?: string },
): Promise<void> {
  const channel = [organizationId, channelId]
  const [channels, connections] = await Promise.all([
    tx.query('select from channels where organization_id = $1 and channel_id = $2 for key share', channel),
    workspaceId === undefined
      ? undefined
      : tx.query(
          `select from workspace_channels where organization_id = $1 and channel_id = $2 and workspace_id = $3
              for key share`,
          [...channel, workspaceId],
        ),
  ])
  if (channels.rowCount === 0) throw new ApiError('channel_not_found')
  if (connections?.rowCount === 0) throw new ApiError('channel_not_connected')
}

/** False when there is one with this id already. */
export async function insertWorkspace(
  database: Queryable,
  organizationId: string,
  workspace: WorkspaceRow,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `insert into workspaces (organization_id, workspace_id, name, type) values ($1, $2, $3, $4) on conflict do nothing`,
    [organizationId, workspace.workspace_id, workspace.name, workspace.type],
  )
  return rowCount === 1
}

/** False when there is one with this id already. */
export async function insertChannel(
  database: Queryable,
  organizationId: string,
  channel: ChannelRow,
  accessTokenSealed: string | null = null,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `insert into channels (organization_id, channel_id, type, name, access_token_sealed) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [organizationId, channel.channel_id, channel.type, channel.name, accessTokenSealed],
  )
  return rowCount === 1
}

/**
 * Connects the channel to its platform, or with null disconnects it; the problem of the token before is cleared.
 * Undefined when there is no such channel.
 */
export async function setChannelToken(
  database: Queryable,
  organizationId: string,
  channelId: string,
  accessTokenSealed: string | null,
): Promise<PlatformChannelRow | undefined> {
  const { rows } = await database.query<PlatformChannelRow>(
    `update channels set access_token_sealed = $3, token_problem = null
      where organization_id = $1 and channel_id = $2 returning ${PLATFORM_CHANNEL_COLUMNS}`,
    [organizationId, channelId, accessTokenSealed],
  )
  return rows[0]
}

export type ChannelToken = Pick<PlatformChannelRow, 'type' | 'access_token_sealed' | 'token_problem'>

/** What the publisher needs to speak for a channel; undefined when there is no such channel. */
export async function findChannelToken(
  database: Queryable,
  organizationId: string,
  channelId: string,
): Promise<ChannelToken | undefined> {
  const { rows } = await database.query<ChannelToken>(
    `select type, access_token_sealed, token_problem from channels where organization_id = $1 and channel_id = $2`,
    [organizationId, channelId],
  )
  return rows[0]
}

/** Marks the token that the platform refused, with its reason. One that was given meanwhile is not marked. */
export async function setTokenProblem(
  database: Queryable,
  organizationId: string,
  channelId: string,
  problem: string,
  refusedTokenSealed: string,
): Promise<void> {
  await database.query(
    `update channels set token_problem = $3
      where organization_id = $1 and channel_id = $2 and access_token_sealed = $4`,
    [organizationId, channelId, problem, refusedTokenSealed],
  )
}

/** False when it was connected already. Both must exist. */
export async function connectChannel(
  database: Queryable,
  organizationId: string,
  workspaceId: string,
  channelId: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `insert into workspace_channels (organization_id, workspace_id, channel_id) values ($1, $2, $3)
     on conflict do nothing`,
    [organizationId, workspaceId, channelId],
  )
  return rowCount === 1
}

/** Takes the workspace's VIP marks on the channel with it. False when it was not connected. */
export async function disconnectChannel(
  database: Queryable,
  organizationId: string,
  workspaceId: string,
  channelId: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'delete from workspace_channels where organization_id = $1 and workspace_id = $2 and channel_id = $3',
    [organizationId, workspaceId, channelId],
  )
  return rowCount === 1
}
