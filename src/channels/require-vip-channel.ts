import type { Queryable } from '../database/database.js'
import { requireChannel, requireConnectedChannel, requireVipWorkspace } from './channels.store.js'

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
  await requireChannel(database, organizationId, channelId)
  await requireVipWorkspace(database, organizationId, workspaceId)
  await requireConnectedChannel(database, organizationId, workspaceId, channelId)
}
