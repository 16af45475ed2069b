import type { Queryable } from '../database/database.js'
import type { Directory } from '../http/directory.js'
import { type NamedChannel, nameChannel } from '../http/standing.js'
import type { Ready } from '../lib/ready.js'
import { requireConnectedChannel, requireVipWorkspace } from './workspaces.store.js'

/**
 * The channel; throws unless the workspace is a VIP workspace of the organization and the channel is connected to it
 * (interface 4.1), the same errors as requireVipWorkspace and requireConnectedChannel. From memory while the directory
 * stands still.
 */
export function requireVipAudience(
  directory: Directory,
  database: Queryable,
  { organizationId, workspaceId, channelId }: { organizationId: string; workspaceId: string; channelId: string },
): Ready<NamedChannel> {
  return directory.remember(['audience', organizationId, workspaceId, channelId], async () => {
    await requireVipWorkspace(database, organizationId, workspaceId)
    await requireConnectedChannel(database, organizationId, workspaceId, channelId)
    return nameChannel(organizationId, channelId)
  })
}
