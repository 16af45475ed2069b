import type { Database } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Principal, ServerPrincipal } from '../http/principal.js'
import type { Caller } from '../http/surfaces.js'
import { narrowTo } from './channel-rights.js'
import { findOrganization } from './organizations.store.js'
import { findMembership } from './people/memberships.store.js'
import { channelPermissions, memberPermissions, OWNER_PERMISSIONS } from './permissions.js'

/**
 * Returns the principal of a person, or of a program with a person's token, in an organization. Throws
 * organization_not_found, organization_inactive and second_factor_required.
 */
export async function enterAsPerson(
  { principal, snapshot }: Caller,
  organizationId: string,
  database: Database,
): Promise<Principal> {
  const { actor } = principal
  if (actor.type !== 'user') throw new ApiError('organization_not_found')
  const { id, token } = actor
  if (token?.boundTo !== undefined && token.boundTo !== organizationId) throw new ApiError('organization_not_found')
  const cache = await snapshot.cacheOf(organizationId)
  if (principal.isOwner) {
    const organization = await cache.getOrLoad(['organization', organizationId], () =>
      findOrganization(database, organizationId),
    )
    if (organization === undefined) throw new ApiError('organization_not_found')
    checkSecondFactor(principal, organization)
    const { permissions } = narrowTo(token, { permissions: OWNER_PERMISSIONS, byChannel: undefined })
    return { ...principal, permissions, organizationId }
  }
  const membership = await cache.getOrLoad(['membership', organizationId, id], () =>
    loadMembership(database, organizationId, id),
  )
  if (membership === undefined) throw new ApiError('organization_not_found')
  if (!membership.organization_active) throw new ApiError('organization_inactive')
  checkSecondFactor(principal, membership)
  const { permissions, byChannel } = narrowTo(token, membership)
  const entered = { ...principal, permissions, organizationId }
  return byChannel === undefined ? entered : { ...entered, channels: { byChannel, isChecked: false } }
}

/** Loads a membership with its permissions. */
async function loadMembership(database: Database, organizationId: string, personId: string) {
  const row = await findMembership(database, organizationId, personId)
  if (row === undefined) return undefined
  const { organization_active, require_second_factor, role, may_approve, channels } = row
  const permissions = memberPermissions(role, may_approve)
  const byChannel = channels === null ? undefined : channelPermissions(permissions, channels)
  return { organization_active, require_second_factor, permissions, byChannel }
}

/** Throws second_factor_required if the organization requires a second factor and the session has passed none. */
function checkSecondFactor(
  { secondFactor }: ServerPrincipal,
  { require_second_factor: isRequired }: { require_second_factor: boolean },
): void {
  if (isRequired && !secondFactor) throw new ApiError('second_factor_required')
}
