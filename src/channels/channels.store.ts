import type { Database, Queryable } from '../database/database.js'
import { findRow, hitsRow, listRows } from '../database/queries.js'
import { TABLES } from '../database/tables.js'
import { ApiError } from '../errors.js'
import type { AutomationMode } from '../interface/automation.js'
import type { ChannelType, PlatformLogin, WorkspaceType } from '../interface/generated/types.js'
import { recordEvent } from '../news/events.store.js'

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
  /** Null if the channel is not connected to its platform. */
  access_token_sealed: string | null
  /** The platform's own reason why the token no longer works; null if it is not known to be bad. */
  token_problem: string | null
}

const WORKSPACE_COLUMNS = 'workspace_id, name, type'
export const PLATFORM_CHANNEL_COLUMNS = 'channel_id, type, name, access_token_sealed, token_problem'

/** The ids of a workspace, a channel, or the connection between them, as values of a statement. */
type WorkspaceIds = [organizationId: string, workspaceId: string]
type ChannelIds = [organizationId: string, channelId: string]
type ConnectionIds = [organizationId: string, workspaceId: string, channelId: string]

export const channelTokenContext = TABLES.channels.sealed.access_token_sealed.context

/** Lists the workspaces, ordered by name, then id. */
export const listWorkspaceRows = (database: Queryable, organizationId: string): Promise<WorkspaceRow[]> =>
  listRows(
    database,
    `select ${WORKSPACE_COLUMNS} from workspaces
      where organization_id = $1 and deleted_at is null order by name, workspace_id`,
    [organizationId],
  )

/** Throws workspace_not_found, also for another organization's workspace. */
export async function requireWorkspace(database: Queryable, ...ids: WorkspaceIds): Promise<WorkspaceRow> {
  const row = await findRow<WorkspaceRow>(
    database,
    `select ${WORKSPACE_COLUMNS} from workspaces
      where organization_id = $1 and workspace_id = $2 and deleted_at is null`,
    ids,
  )
  if (row === undefined) throw new ApiError('workspace_not_found')
  return row
}

/** Throws workspace_not_found or workspace_not_vip (interface 4.1.2). */
export async function requireVipWorkspace(database: Queryable, ...ids: WorkspaceIds): Promise<void> {
  const { type } = await requireWorkspace(database, ...ids)
  if (type !== 'VIP') throw new ApiError('workspace_not_vip')
}

/** Lists the channels, ordered by name, then id. With a workspace, lists only those connected to it. */
export const listChannelRows = (
  database: Queryable,
  organizationId: string,
  workspaceId?: string,
): Promise<PlatformChannelRow[]> =>
  listRows(
    database,
    `select ${PLATFORM_CHANNEL_COLUMNS} from channels
      where organization_id = $1 and deleted_at is null
        and ($2::text is null or exists (
          select from workspace_channels w
           where w.organization_id = $1 and w.workspace_id = $2 and w.channel_id = channels.channel_id))
      order by name, channel_id`,
    [organizationId, workspaceId ?? null],
  )

export interface OrganizationChannelRow extends PlatformChannelRow {
  /** True if the organization has a Meta source. */
  is_heard: boolean
  /** Null until the worker has found the channel. */
  subscription_state: 'PENDING' | 'SUBSCRIBED' | 'REFUSED' | null
  subscription_problem: string | null
  subscription_checked_at: Date | null
  token_login: PlatformLogin | null
  missing_permissions: string[] | null
  automation: AutomationMode
  automated_notice: string | null
  private_replies_per_hour: number
  automation_problem: string | null
  automation_problem_at: Date | null
  newest_comment_at: Date | null
  comments_read_at: Date | null
}

/** Lists the same channels with their subscriptions to the platform's updates, and what is known about their comments. */
export const listOrganizationChannelRows = (
  database: Queryable,
  organizationId: string,
  workspaceId?: string,
): Promise<OrganizationChannelRow[]> =>
  listRows(
    database,
    `select c.channel_id, c.type, c.name, c.access_token_sealed, c.token_problem,
            exists (select from sources s where s.organization_id = $1 and s.type = 'META') as is_heard,
            b.state as subscription_state, b.problem as subscription_problem, b.checked_at as subscription_checked_at,
            c.token_login, c.missing_permissions, c.automation, c.automated_notice, c.private_replies_per_hour, c.automation_problem, c.automation_problem_at,
            (select max(p.newest_comment_at) from automation_posts p
              where p.organization_id = $1 and p.channel_id = c.channel_id) as newest_comment_at,
            (select max(p.polled_at) from automation_posts p
              where p.organization_id = $1 and p.channel_id = c.channel_id) as comments_read_at
       from channels c
       left join channel_subscriptions b on b.organization_id = $1 and b.channel_id = c.channel_id
      where c.organization_id = $1 and c.deleted_at is null
        and ($2::text is null or exists (
          select from workspace_channels w
           where w.organization_id = $1 and w.workspace_id = $2 and w.channel_id = c.channel_id))
      order by c.name, c.channel_id`,
    [organizationId, workspaceId ?? null],
  )

/**
 * Makes the worker subscribe the channel at once with its new token. An attempt with the previous token loses its claim, so
 * its result is not written.
 */
export async function makeSubscriptionDue(
  tx: Queryable,
  [organizationId, channelId]: ChannelIds,
  at: Date,
): Promise<void> {
  await tx.query(
    `update channel_subscriptions
        set state = 'PENDING', problem = null, checked_at = null, next_attempt_at = $3, attempts = 0, leased_by = null,
            leased_until = null
      where organization_id = $1 and channel_id = $2`,
    [organizationId, channelId, at],
  )
}

/** Returns the channels of the organization with these ids, by id. */
export async function findChannels(
  database: Queryable,
  organizationId: string,
  channelIds: readonly string[],
): Promise<Map<string, ChannelRow>> {
  const { rows } = await database.query<ChannelRow>(
    `select channel_id, type, name from channels
      where organization_id = $1 and channel_id = any($2::text[]) and deleted_at is null`,
    [organizationId, channelIds],
  )
  return new Map(rows.map((row) => [row.channel_id, row]))
}

/** For a channel that is named in the path: throws channel_not_found. */
export async function requireChannel(database: Queryable, ...ids: ChannelIds): Promise<void> {
  const { rows } = await database.query(
    'select from channels where organization_id = $1 and channel_id = $2 and deleted_at is null',
    ids,
  )
  if (rows.length === 0) throw new ApiError('channel_not_found')
}

/** Returns the channel, and whether it is connected to the workspace. */
export const findChannelOf = (
  database: Queryable,
  ...ids: ConnectionIds
): Promise<(ChannelRow & { connected: boolean }) | undefined> =>
  findRow(
    database,
    `select channel_id, type, name, exists (
              select from workspace_channels w
               where w.organization_id = $1 and w.workspace_id = $2 and w.channel_id = $3) as connected
       from channels where organization_id = $1 and channel_id = $3 and deleted_at is null`,
    ids,
  )

/** Returns false if a workspace with this id exists. */
export const insertWorkspace = (
  database: Queryable,
  organizationId: string,
  { workspace_id, name, type }: WorkspaceRow,
): Promise<boolean> =>
  hitsRow(
    database,
    `insert into workspaces (organization_id, ${WORKSPACE_COLUMNS}) values ($1, $2, $3, $4) on conflict do nothing`,
    [organizationId, workspace_id, name, type],
  )

/** The data stored with an access token. */
export interface TokenRecord {
  /** The page of an Instagram account; null for other channels, and if it is unknown. */
  pageId: string | null
  setAt: Date | null
  /** When it is next refreshed; null if it is not refreshed. */
  refreshAt: Date | null
  login: PlatformLogin | null
  /** The permissions that it lacks, apart from those for publishing; null if they are unknown. */
  missing: readonly string[] | null
}

const NO_RECORD: TokenRecord = { pageId: null, setAt: null, refreshAt: null, login: null, missing: null }

const TOKEN_COLUMNS = 'access_token_sealed, page_id, token_set_at, token_refresh_at, token_login, missing_permissions'
const tokenValues = (sealed: string | null, { pageId, setAt, refreshAt, login, missing }: TokenRecord): unknown[] => [
  ...[sealed, pageId, setAt, refreshAt, login, missing],
]

/** Returns false if a channel with this id exists. A deleted channel is restored without its former data. */
export const insertChannel = (
  database: Queryable,
  organizationId: string,
  channel: ChannelRow,
  accessTokenSealed: string | null = null,
  record: TokenRecord = NO_RECORD,
): Promise<boolean> =>
  hitsRow(
    database,
    `insert into channels (organization_id, channel_id, type, name, ${TOKEN_COLUMNS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (organization_id, channel_id) do update
        set name = excluded.name, access_token_sealed = excluded.access_token_sealed, page_id = excluded.page_id,
            token_set_at = excluded.token_set_at, token_refresh_at = excluded.token_refresh_at,
            token_login = excluded.token_login, missing_permissions = excluded.missing_permissions,
            deleted_at = null, emptied_at = null
      where channels.emptied_at is not null`,
    [organizationId, channel.channel_id, channel.type, channel.name, ...tokenValues(accessTokenSealed, record)],
  )

/**
 * Connects the channel to its platform, or disconnects it if the token is null; the previous token's problem is cleared.
 * Returns undefined if the channel does not exist.
 */
export const setChannelToken = (
  database: Queryable,
  organizationId: string,
  channelId: string,
  accessTokenSealed: string | null,
  record: TokenRecord = NO_RECORD,
): Promise<PlatformChannelRow | undefined> =>
  findRow(
    database,
    // A disconnected account keeps its page, which stays subscribed.
    `update channels
        set token_problem = null,
            (${TOKEN_COLUMNS}) = row($3::text, case when $3::text is null then page_id else $4::text end, $5::timestamptz,
                                     $6::timestamptz, $7::text, $8::text[])
      where organization_id = $1 and channel_id = $2 and deleted_at is null returning ${PLATFORM_CHANNEL_COLUMNS}`,
    [organizationId, channelId, ...tokenValues(accessTokenSealed, record)],
  )

/** Stores the page of an Instagram account and the token for it. Returns false if the channel has another token by now. */
export const setChannelPage = (
  database: Queryable,
  [organizationId, channelId]: ChannelIds,
  { pageId, sealed, sealedBefore }: { pageId: string; sealed: string; sealedBefore: string },
): Promise<boolean> =>
  hitsRow(
    database,
    `update channels set page_id = $3, access_token_sealed = $4
      where organization_id = $1 and channel_id = $2 and access_token_sealed = $5`,
    [organizationId, channelId, pageId, sealed, sealedBefore],
  )

export interface ChannelToken extends Pick<PlatformChannelRow, 'type' | 'access_token_sealed' | 'token_problem'> {
  /** The page of an Instagram account, if known. */
  page_id: string | null
  /** A deleted channel has no token. */
  deleted: boolean
  /** False while its organization is inactive. */
  organization_active: boolean
}

/**
 * Returns the token with which the publisher acts for a channel, even a deleted one. Returns undefined if the channel does
 * not exist.
 */
export const findChannelToken = (database: Queryable, ...ids: ChannelIds): Promise<ChannelToken | undefined> =>
  findRow(
    database,
    `select type, page_id, access_token_sealed, token_problem, c.deleted_at is not null as deleted, o.active as organization_active
       from channels c join organizations o using (organization_id)
      where organization_id = $1 and channel_id = $2`,
    ids,
  )

/**
 * Marks a token that the platform refused, with its reason, and records the event once. If the channel has another token by
 * now, marks nothing and returns false.
 */
export async function setTokenProblem(
  database: Database,
  organizationId: string,
  channelId: string,
  { problem, refusedTokenSealed, at }: { problem: string; refusedTokenSealed: string; at: Date },
): Promise<boolean> {
  return await database.transaction(async (tx) => {
    const { rows } = await tx.query<{ token_problem: string | null }>(
      `select token_problem from channels
        where organization_id = $1 and channel_id = $2 and access_token_sealed = $3 for no key update`,
      [organizationId, channelId, refusedTokenSealed],
    )
    if (rows[0] === undefined) return false
    await tx.query('update channels set token_problem = $3 where organization_id = $1 and channel_id = $2', [
      organizationId,
      channelId,
      problem,
    ])
    if (rows[0].token_problem === null) {
      await recordEvent(tx, { organizationId, type: 'token.refused', at, data: { channelId } })
    }
    return true
  })
}

/** Lists the channels of all organizations whose token the platform refused. */
export const listTokenProblems = (database: Queryable) =>
  listRows<{ organization_id: string; channel_id: string; token_problem: string }>(
    database,
    `select organization_id, channel_id, token_problem from channels
      where token_problem is not null and deleted_at is null order by organization_id, channel_id`,
  )

/** Returns false if they were already connected. Both must exist. */
export const connectChannel = (database: Queryable, ...ids: ConnectionIds): Promise<boolean> =>
  hitsRow(
    database,
    `insert into workspace_channels (organization_id, workspace_id, channel_id) values ($1, $2, $3)
     on conflict do nothing`,
    ids,
  )

/** Also deletes the workspace's VIP marks on the channel. Returns false if they were not connected. */
export const disconnectChannel = (database: Queryable, ...ids: ConnectionIds): Promise<boolean> =>
  hitsRow(
    database,
    'delete from workspace_channels where organization_id = $1 and workspace_id = $2 and channel_id = $3',
    ids,
  )

/** Locks the channel until the transaction ends, so that it cannot be deleted. Throws channel_not_found. */
export async function holdChannel(tx: Queryable, ...ids: ChannelIds): Promise<void> {
  const { rows } = await tx.query(
    `select from channels where organization_id = $1 and channel_id = $2 and deleted_at is null for key share`,
    ids,
  )
  if (rows.length === 0) throw new ApiError('channel_not_found')
}

/** Locks a workspace in the same way. Throws workspace_not_found. */
export async function holdWorkspace(tx: Queryable, ...ids: WorkspaceIds): Promise<void> {
  const { rows } = await tx.query(
    `select from workspaces where organization_id = $1 and workspace_id = $2 and deleted_at is null for key share`,
    ids,
  )
  if (rows.length === 0) throw new ApiError('workspace_not_found')
}

/** Locks the connection until the transaction ends. Throws channel_not_connected if it no longer exists. */
export async function holdConnection(tx: Queryable, ...ids: ConnectionIds): Promise<void> {
  const { rowCount } = await tx.query(
    'select from workspace_channels where organization_id = $1 and workspace_id = $2 and channel_id = $3 for key share',
    ids,
  )
  if (rowCount === 0) throw new ApiError('channel_not_connected')
}

/** Returns undefined if the workspace does not exist. */
export const renameWorkspace = (
  database: Queryable,
  ...ids: [...ids: WorkspaceIds, name: string]
): Promise<WorkspaceRow | undefined> =>
  findRow(
    database,
    `update workspaces set name = $3
      where organization_id = $1 and workspace_id = $2 and deleted_at is null returning ${WORKSPACE_COLUMNS}`,
    ids,
  )

/** Returns undefined if the channel does not exist. */
export const renameChannel = (
  database: Queryable,
  ...ids: [...ids: ChannelIds, name: string]
): Promise<PlatformChannelRow | undefined> =>
  findRow(
    database,
    `update channels set name = $3
      where organization_id = $1 and channel_id = $2 and deleted_at is null returning ${PLATFORM_CHANNEL_COLUMNS}`,
    ids,
  )
