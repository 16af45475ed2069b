import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Principal } from '../../http/principal.js'
import { lockAdministrators } from './memberships.store.js'

/**
 * Throws last_administrator where a person would take the rights of the only administrator of the organization, who may be
 * themselves. The operator token can: its holder can also make another one.
 */
export async function checkLastAdministrator(
  tx: Queryable,
  { organizationId, actor }: Pick<Principal, 'organizationId' | 'actor'>,
  personId: string,
): Promise<void> {
  if (actor.type !== 'user') return
  const administrators = await lockAdministrators(tx, organizationId)
  if (administrators.length === 1 && administrators[0] === personId) throw new ApiError('last_administrator')
}
