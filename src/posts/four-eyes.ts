import { findOrganization } from '../access/organizations.store.js'
import { listIdsOfPerson } from '../access/people/people.store.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Actor, Principal } from '../http/principal.js'
import { hasWritten } from './history.store.js'

/**
 * Throws own_post where the organization asks for four eyes and the one who approves wrote the post or was the last to change it.
 * Who holds a link approves for the person who made it, so that no one sends a link to themselves.
 */
export async function checkFourEyes(
  tx: Queryable,
  { organizationId, actor, link }: Principal,
  scheduledPostId: string,
): Promise<void> {
  const organization = await findOrganization(tx, organizationId)
  if (!organization?.four_eyes) return
  const approver: Actor = link === undefined ? actor : { type: 'user', id: link.madeBy }
  // One who was merged from several accounts wrote with each of them.
  const actors: Actor[] =
    approver.type === 'user' ? (await listIdsOfPerson(tx, approver.id)).map((id) => ({ type: 'user', id })) : [approver]
  if (await hasWritten(tx, organizationId, scheduledPostId, actors)) throw new ApiError('own_post')
}
