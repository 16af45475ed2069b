import { mayInAll } from '../../access/channel-rights.js'
import { holdChannelRoles } from '../../access/hold-rights.js'
import { type LinkChannelsRow, listChannelsOfLinks } from '../../access/review-links/linked-posts.store.js'
import type { Queryable } from '../../database/database.js'
import { idOfActor, type Needed, type Principal } from '../../http/principal.js'

/** A link of another person is revoked by those who may approve in all of its channels, and by administrators. */
const OF_ANOTHER: Needed = ['posts:approve', 'people:write']

/**
 * Holds a member with roles by channel to them, in the transaction that revokes a link. Throws permission_missing unless it
 * is their own link, or one that they may revoke.
 */
export async function checkMayRevoke(tx: Queryable, principal: Principal, linkId: string): Promise<void> {
  if (principal.channels === undefined) return
  const checkChannels = await holdChannelRoles(tx, principal, OF_ANOTHER)
  const [link] = await listChannelsOfLinks(tx, principal.organizationId, [linkId])
  if (link?.made_by === idOfActor(principal.actor)) principal.channels.isChecked = true
  else checkChannels(link?.channels ?? [])
}

/** Tells of which links the caller may revoke those of others. */
export async function listRevocable(
  database: Queryable,
  principal: Principal,
  linkIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (principal.channels === undefined) return new Set(mayInAll(principal, OF_ANOTHER, []) ? linkIds : [])
  const links = await listChannelsOfLinks(database, principal.organizationId, linkIds)
  const mayRevoke = ({ channels }: LinkChannelsRow): boolean =>
    mayInAll(
      principal,
      OF_ANOTHER,
      channels.map(({ channel_id }) => channel_id),
    )
  return new Set(links.filter(mayRevoke).map(({ link_id }) => link_id))
}
