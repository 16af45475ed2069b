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
  /** Null while the channel is not connected to its platform. */
  access_token_sealed: string | null
  /** The platform's own reason why the token no longer works; null while nothing is known against it. */
  token_problem: string | null
}

const WORKSPACE_COLUMNS = 'workspace_id, name, type'
export const PLATFORM_CHANNEL_COLUMNS = 'channel_id, type, name, access_token_sealed, token_problem'

/** The values with which a statement names a workspace, a channel, or the connection of both. */
type WorkspaceIds = [organizationId: string, workspaceId: string]
type ChannelIds = [organizationId: string, channelId: string]
type ConnectionIds = [organizationId: string, workspaceId: string, channelId: string]

export const channelTokenContext = TABLES.channels.sealed.access_token_sealed.context

/** By name, then id. */
export const listWorkspaceRows = (database: Queryable, organizationId: string): Promise<WorkspaceRow[]> =>
  listRows(
    database,
    `select ${WORKSPACE_COLUMNS} from workspaces
      where organization_id = $1 and deleted_at is null order by name, workspace_id`,
    [organizationId],
  )

/** Throws workspace_not_found, for another organization's workspace as well. */
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

/** By name, then id; those connected to the workspace when one is given. */
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
  /** True where the organization has a source of Meta. */
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

/** The same with their subscriptions to what the platform sends, and what is known of the comments there. */
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
 * Has the worker subscribe the channel at once, by its new token. An attempt with the token before, which may be under way,
 * loses its claim, so that its result is not written.
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

/** Those of the given ids that are channels of the organization, by id. */
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

/** Throws channel_not_found: the channel stands in the path. */
export async function requireChannel(database: Queryable, ...ids: ChannelIds): Promise<void> {
  const { rows } = await database.query(
    'select from channels where organization_id = $1 and channel_id = $2 and deleted_at is null',
    ids,
  )
  if (rows.length === 0) throw new ApiError('channel_not_found')
}

/** The channel, and whether it is connected to the workspace. */
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

/** False when there is one with this id already. */
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

/** The facts that are stored with an access token. */
export interface TokenRecord {
  /** The page of an Instagram account; null for others, and if it is not known. */
  pageId: string | null
  setAt: Date | null
  /** When it is refreshed next; null for a token that is not. */
  refreshAt: Date | null
  login: PlatformLogin | null
  /** The permissions that it lacks beyond publishing; null if that is not known. */
  missing: readonly string[] | null
}

const NO_RECORD: TokenRecord = { pageId: null, setAt: null, refreshAt: null, login: null, missing: null }

const TOKEN_COLUMNS = 'access_token_sealed, page_id, token_set_at, token_refresh_at, token_login, missing_permissions'
const tokenValues = (sealed: string | null, { pageId, setAt, refreshAt, login, missing }: TokenRecord): unknown[] => [
  ...[sealed, pageId, setAt, refreshAt, login, missing],
]

/** False when there is one with this id already. One that was deleted is there again, without anything that it had. */
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
 * Connects the channel to its platform, or with null disconnects it; the problem of the token before is cleared.
 * Undefined when there is no such channel.
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

/** Stores the page of an Instagram account and the token for it. False if the channel has another token by now. */
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
  /** The page of an Instagram account, if it is known. */
  page_id: string | null
  /** A deleted channel has no token. */
  deleted: boolean
  /** False while its organization is deactivated. */
  organization_active: boolean
}

/**
 * The token with which the publisher speaks for a channel, also for a deleted one. Undefined when there is no such
 * channel.
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
 * Marks the token that the platform refused, with its reason, and tells of it once. False when another one was given
 * meanwhile, which is not marked.
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

/** The channels of all organizations whose token the platform has refused. */
export const listTokenProblems = (database: Queryable) =>
  listRows<{ organization_id: string; channel_id: string; token_problem: string }>(
    database,
    `select organization_id, channel_id, token_problem from channels
      where token_problem is not null and deleted_at is null order by organization_id, channel_id`,
  )

/** False when it was connected already. Both must exist. */
export const connectChannel = (database: Queryable, ...ids: ConnectionIds): Promise<boolean> =>
  hitsRow(
    database,
    `insert into workspace_channels (organization_id, workspace_id, channel_id) values ($1, $2, $3)
     on conflict do nothing`,
    ids,
  )

/** Takes the workspace's VIP marks on the channel with it. False when it was not connected. */
export const disconnectChannel = (database: Queryable, ...ids: ConnectionIds): Promise<boolean> =>
  hitsRow(
    database,
    'delete from workspace_channels where organization_id = $1 and workspace_id = $2 and channel_id = $3',
    ids,
  )

/** Holds the channel as it is until the transaction ends: it cannot be deleted meanwhile. Throws channel_not_found. */
export async function holdChannel(tx: Queryable, ...ids: ChannelIds): Promise<void> {
  const { rows } = await tx.query(
    `select from channels where organization_id = $1 and channel_id = $2 and deleted_at is null for key share`,
    ids,
  )
  if (rows.length === 0) throw new ApiError('channel_not_found')
}

/** The same for a workspace. Throws workspace_not_found. */
export async function holdWorkspace(tx: Queryable, ...ids: WorkspaceIds): Promise<void> {
  const { rows } = await tx.query(
    `select from workspaces where organization_id = $1 and workspace_id = $2 and deleted_at is null for key share`,
    ids,
  )
  if (rows.length === 0) throw new ApiError('workspace_not_found')
}

/** Holds the connection until the transaction ends. Throws channel_not_connected when it has gone. */
export async function holdConnection(tx: Queryable, ...ids: ConnectionIds): Promise<void> {
  const { rowCount } = await tx.query(
    'select from workspace_channels where organization_id = $1 and workspace_id = $2 and channel_id = $3 for key share',
    ids,
  )
  if (rowCount === 0) throw new ApiError('channel_not_connected')
}

/** Undefined when there is no such workspace. */
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

/** Undefined when there is no such channel. */
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
