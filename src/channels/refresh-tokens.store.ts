import type { Queryable } from '../database/database.js'
import { findRow, hitsRow, listRows } from '../database/queries.js'
import type { ConnectedChannel } from './open-target.js'

/** A channel whose token is to be refreshed. */
export interface RefreshableRow extends ConnectedChannel {
  /** When the token was given or last refreshed. */
  token_set_at: Date | null
}

const AT_ONCE = 20

/** A refresh that is due. */
export interface DueRefresh {
  organization_id: string
  channel_id: string
  token_refresh_at: Date
}

/**
 * Lists the refreshes that are due. It only reads: a write, even an empty one, invalidates the caches of the embedded
 * engine.
 */
export const listDueRefreshes = (database: Queryable, now: Date): Promise<DueRefresh[]> =>
  listRows(
    database,
    `select organization_id, channel_id, token_refresh_at from channels
      where token_refresh_at <= $1 and access_token_sealed is not null and token_problem is null and deleted_at is null
      order by token_refresh_at limit $2`,
    [now, AT_ONCE],
  )

/** Claims a refresh, and postpones it until `again`. Returns undefined if another process has claimed it. */
export const claimRefresh = (
  database: Queryable,
  { organization_id, channel_id, token_refresh_at }: DueRefresh,
  again: Date,
): Promise<RefreshableRow | undefined> =>
  findRow(
    database,
    `update channels set token_refresh_at = $4
      where organization_id = $1 and channel_id = $2 and token_refresh_at = $3 and access_token_sealed is not null
     returning organization_id, channel_id, type, page_id, access_token_sealed, token_set_at`,
    [organization_id, channel_id, token_refresh_at, again],
  )

type Refreshed = Pick<RefreshableRow, 'organization_id' | 'channel_id' | 'access_token_sealed'>

/** Returns false if the channel has another token by now. */
export const replaceToken = (
  database: Queryable,
  { organization_id, channel_id, access_token_sealed }: Refreshed,
  { sealed, setAt, refreshAt }: { sealed: string; setAt: Date; refreshAt: Date },
): Promise<boolean> =>
  hitsRow(
    database,
    `update channels set access_token_sealed = $4, token_problem = null, token_set_at = $5, token_refresh_at = $6
      where organization_id = $1 and channel_id = $2 and access_token_sealed = $3`,
    [organization_id, channel_id, access_token_sealed, sealed, setAt, refreshAt],
  )

/** Sets the time of the next attempt, unless the channel has another token by now. */
export async function putOffRefresh(
  database: Queryable,
  { organization_id, channel_id, access_token_sealed }: Refreshed,
  at: Date,
): Promise<void> {
  await database.query(
    `update channels set token_refresh_at = $4
      where organization_id = $1 and channel_id = $2 and access_token_sealed = $3`,
    [organization_id, channel_id, access_token_sealed, at],
  )
}
