import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { ActingToken, Needed, Permission, ServerPrincipal } from '../http/principal.js'
import { type CheckChannels, checkerOf, type Held, heldBy, narrowTo } from './channel-rights.js'
import { channelPermissions, keyPermissions, memberPermissions, OWNER_PERMISSIONS } from './permissions.js'
import { holdKey, holdMembership, holdOperatorToken, holdPerson } from './rights.store.js'
import { holdToken } from './tokens/personal-tokens.store.js'

type Caller = Pick<ServerPrincipal, 'actor' | 'channels' | 'permissions'> & { organizationId?: string }

/**
 * Checks once more, inside the transaction, that the caller holds a permission, and keeps it until the end. An
 * invitation or a key is made before its maker loses the right, and ends with that, or it is not made. Comes before
 * any other lock. Throws permission_missing, session_ended, operator_token_wrong, token_wrong and signature_invalid.
 */
export async function holdRights(
  tx: Queryable,
  caller: Omit<Caller, 'channels' | 'permissions'>,
  permission: Permission,
): Promise<void> {
  const held =
    caller.actor.type === 'key' ? await holdHeldByKey(tx, caller, caller.actor.id) : await holdHeld(tx, caller)
  if (held !== undefined && !held.permissions.has(permission)) throw new ApiError('permission_missing')
}

/**
 * The same for what is about channels: gives the check of them, which is for when the locked rows have told which ones.
 */
export async function holdRightsInChannels(tx: Queryable, caller: Caller, needed: Needed): Promise<CheckChannels> {
  const held = await holdHeld(tx, caller)
  // The rights of a caller who is no member are those with which the request came.
  return checkerOf({ ...heldBy(caller), ...held }, needed, caller.channels)
}

/**
 * The same where the request has been let in by the role in the organization, or by that in a channel. It reads the role
 * again only for a member who has roles by channel: for other callers it costs nothing, and the check passes.
 */
export const holdChannelRoles = async (tx: Queryable, caller: Caller, needed: Needed): Promise<CheckChannels> =>
  caller.channels === undefined ? PASSES : await holdRightsInChannels(tx, caller, needed)

const PASSES: CheckChannels = () => {}

/**
 * Reads the rights of a member, which hold until the end of the transaction; undefined for a caller who is no member and may
 * call all the same.
 */
async function holdHeld(
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

/** Only operations that issue keys use this: a key that changes posts does not wait for its own row. */
async function holdHeldByKey(
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
