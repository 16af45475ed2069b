import type { Queryable } from '../database/database.js'
import { deleteRowsOf } from '../database/deletion.js'
import { listValues } from '../database/queries.js'

type ChannelIds = [organizationId: string, channelId: string]

/** When the transaction ends, the channel is gone for every caller, and its access token is gone permanently. */
export async function markChannelDeleted(tx: Queryable, ...values: [...ids: ChannelIds, at: Date]): Promise<void> {
  await tx.query(
    `update channels set deleted_at = $3, access_token_sealed = null, token_problem = null, token_refresh_at = null,
            token_login = null, missing_permissions = null
      where organization_id = $1 and channel_id = $2`,
    values,
  )
}

/** Deletes the connections of a deleted channel. Its row stays for the posts that name it. */
export async function markChannelEmptied(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  at: Date,
): Promise<void> {
  await deleteRowsOf(tx, 'channel', [organizationId, channelId])
  await tx.query('update channels set emptied_at = $3 where organization_id = $1 and channel_id = $2', [
    organizationId,
    channelId,
    at,
  ])
}

/** Lists the ids of all channels, including deleted ones. */
export const listAllChannelIds = (database: Queryable, organizationId: string): Promise<string[]> =>
  listValues(database, 'select channel_id from channels where organization_id = $1 order by channel_id', [
    organizationId,
  ])
