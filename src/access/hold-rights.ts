import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Permission, ServerPrincipal } from '../http/principal.js'
import { memberPermissions } from './permissions.js'
import { holdMembership, holdOperatorToken, holdPerson } from './rights.store.js'

/**
 * Checks once more, inside the transaction, that the caller holds a permission, and keeps it until the end. An
 * invitation or a key is made before its maker loses the right, and ends with that, or it is not made. Comes before
 * any other lock. Throws permission_missing, session_ended and operator_token_wrong.
 */
export async function holdRights(
  tx: Queryable,
  { actor, organizationId }: Pick<ServerPrincipal, 'actor'> & { organizationId?: string },
  permission: Permission,
): Promise<void> {
  if (actor.type === 'operator' && actor.id !== undefined && !(await holdOperatorToken(tx, actor.id))) {
    throw new ApiError('operator_token_wrong')
  }
  if (actor.type !== 'user') return
  const person = await holdPerson(tx, actor.id)
  if (!person?.active) throw new ApiError('session_ended')
  if (person.owner) return
  const membership = organizationId === undefined ? undefined : await holdMembership(tx, organizationId, actor.id)
  if (membership === undefined || !memberPermissions(membership.role, membership.may_approve).has(permission)) {
    throw new ApiError('permission_missing')
  }
}
