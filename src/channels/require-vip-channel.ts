import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { findChannelOf, requireVipWorkspace } from './channels.store.js'

/**
 * Throws unless VIPs of the workspace may be marked on the channel: both exist (404), the workspace is a VIP workspace
 * and the channel is connected to it (400).
 */
export async function requireVipChannel(
  database: Queryable,
  organizationId: string,
  workspaceId: string,
  channelId: string,
): Promise<void> {
  // One read: a channel that is deleted meanwhile is not found, never "not connected".
  const channel = await findChannelOf(database, organizationId, workspaceId, channelId)
  if (channel === undefined) throw new ApiError('channel_not_found')
  await requireVipWorkspace(database, organizationId, workspaceId)
  if (!channel.connected) throw new ApiError('channel_not_connected')
}
