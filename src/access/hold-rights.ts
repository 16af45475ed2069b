import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { ActingToken, Needed, Permission, ServerPrincipal } from '../http/principal.js'
import { type CheckChannels, checkerOf, type Held, heldBy, narrowTo } from './channel-rights.js'
import { channelPermissions, keyPermissions, memberPermissions, OWNER_PERMISSIONS } from './permissions.js'
import { holdKey, holdMembership, holdOperatorToken, holdPerson } from './rights.store.js'
import { holdToken } from './tokens/personal-tokens.store.js'

type Caller = Pick<ServerPrincipal, 'actor' | 'channels' | 'permissions'> & { organizationId?: string }

/**
 * Checks again, inside the transaction, that the caller holds a permission, and locks it until the transaction ends.
 * An invitation or a key is thus created before its creator loses the right, and is revoked with it, or is not
 * created. Must come before any other lock. Throws permission_missing, session_ended, operator_token_wrong,
 * token_wrong and signature_invalid.
 */
export async function holdRights(
  tx: Queryable,
  caller: Omit<Caller, 'channels' | 'permissions'>,
  permission: Permission,
): Promise<void> {
  const held =
    caller.actor.type === 'key' ? await lockKeyRights(tx, caller, caller.actor.id) : await lockMemberRights(tx, caller)
  if (held !== undefined && !held.permissions.has(permission)) throw new ApiError('permission_missing')
}

/**
 * Does the same for changes that involve channels. Returns a check to run once the locked rows show which channels
 * are involved.
 */
export async function holdRightsInChannels(tx: Queryable, caller: Caller, needed: Needed): Promise<CheckChannels> {
  const held = await lockMemberRights(tx, caller)
  // A caller who is not a member keeps the rights that the request arrived with.
  return checkerOf({ ...heldBy(caller), ...held }, needed, caller.channels)
}

/**
 * Does the same for a request that was admitted by a role in the organization or in a channel. Reads the role again
 * only for a member who has roles by channel; for any other caller it costs nothing and the check passes.
 */
export const holdChannelRoles = async (tx: Queryable, caller: Caller, needed: Needed): Promise<CheckChannels> =>
  caller.channels === undefined ? PASSES : await holdRightsInChannels(tx, caller, needed)

const PASSES: CheckChannels = () => {}

/**
 * Reads the rights of a member and locks them until the transaction ends; undefined for an allowed caller who is not
 * a member.
 */
async function lockMemberRights(
  tx: Queryable,
  { actor, organizationId }: Omit<Caller, 'channels' | 'permissions'>,
): Promise<Held | undefined> {
  if (actor.type === 'operator' && actor.id !== undefined && !(await holdOperatorToken(tx, actor.id))) {
    throw new ApiError('operator_token_wrong')
  }
  if (actor.type !== 'user') return undefined
  const person = await holdPerson(tx, actor.id)
  if (!person?.active) throw new ApiError('session_ended')
  const { token } = actor
  if (person.owner) return token && narrowTo(await requireToken(tx, token), OWNER)
  const membership = organizationId === undefined ? undefined : await holdMembership(tx, organizationId, actor.id)
  if (membership === undefined) throw new ApiError('permission_missing')
  const permissions = memberPermissions(membership.role, membership.may_approve)
  const held = { permissions, byChannel: channelPermissions(permissions, membership.channels) }
  return token === undefined ? held : narrowTo(await requireToken(tx, token), held)
}

/**
 * Used only by operations that issue keys, because it locks the caller's row: other requests by one key must not wait
 * for each other.
 */
async function lockKeyRights(
  tx: Queryable,
  { organizationId = '' }: { organizationId?: string },
  keyId: string,
): Promise<Held> {
  const key = await holdKey(tx, organizationId, keyId)
  if (key === undefined) throw new ApiError('signature_invalid')
  return { permissions: keyPermissions(key.permissions), byChannel: undefined }
}

const OWNER: Held = { permissions: OWNER_PERMISSIONS, byChannel: undefined }

async function requireToken(tx: Queryable, token: ActingToken): Promise<ActingToken> {
  if (!(await holdToken(tx, token.id))) throw new ApiError('token_wrong')
  return token
}
