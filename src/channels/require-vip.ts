import { toChannelRef } from '../access/snapshot.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { AccessCache, ChannelRef } from '../http/snapshot.js'
import type { Ready } from '../lib/ready.js'
import { findChannelOf, requireVipWorkspace } from './channels.store.js'

/**
 * Returns the channel whose list is read. Throws unless the workspace is a VIP workspace of the organization and the channel
 * is connected to it (interface 4.1). Cached with the access data of the organization.
 */
export function requireVipAudience(
  cache: AccessCache,
  database: Queryable,
  { organizationId, workspaceId, channelId }: { organizationId: string; workspaceId: string; channelId: string },
): Ready<ChannelRef> {
  return cache.getOrLoad(['audience', organizationId, workspaceId, channelId], async () => {
    await requireVipWorkspace(database, organizationId, workspaceId)
    const channel = await findChannelOf(database, organizationId, workspaceId, channelId)
    if (channel === undefined) throw new ApiError('channel_unknown')
    if (!channel.connected) throw new ApiError('channel_not_connected')
    return toChannelRef(organizationId, channelId)
  })
}

/**
 * Throws unless VIPs of the workspace may be marked on the channel: both exist (404), the workspace is a VIP workspace, and
 * the channel is connected to it (400).
 */
export async function requireVipChannel(
  database: Queryable,
  ...ids: [organizationId: string, workspaceId: string, channelId: string]
): Promise<void> {
  const [organizationId, workspaceId] = ids
  // One read, so that a channel deleted in the meantime is "not found" and never "not connected".
  const channel = await findChannelOf(database, ...ids)
  if (channel === undefined) throw new ApiError('channel_not_found')
  await requireVipWorkspace(database, organizationId, workspaceId)
  if (!channel.connected) throw new ApiError('channel_not_connected')
}
