import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Principal } from '../../http/principal.js'
import { isSubnetWithin } from '../../lib/addresses.js'
import { holdKey, type OwnKey } from '../rights.store.js'
import type { KeySettings } from './keys.store.js'

/**
 * Throws permission_missing if a key gives a key, including itself, wider bounds than its own: it could outlive its
 * expiry or be used from anywhere. `given` has the fields that the request sets.
 */
export async function requireWithinOwn(
  tx: Queryable,
  { organizationId, actor }: Principal,
  given: Partial<KeySettings>,
): Promise<void> {
  if (actor.type !== 'key') return
  const own = await holdKey(tx, organizationId, actor.id)
  if (own === undefined) throw new ApiError('signature_invalid')
  const wanted = findBroken(own, given)
  if (wanted === undefined) return
  const message = `A key cannot give a key wider bounds than its own: give ${wanted}, or let an administrator do this.`
  throw new ApiError('permission_missing', { message })
}

/** Returns what to send instead, for the first bound that is exceeded. */
function findBroken(
  { allowed_addresses: addresses, expires_at: end, requests_per_second: rate }: OwnKey,
  { allowed_addresses: to, expires_at: until, requests_per_second: perSecond }: Partial<KeySettings>,
): string | undefined {
  if (addresses.length > 0 && to !== undefined && !areWithin(to, addresses)) {
    return `allowedAddresses within ${addresses.join(', ')}`
  }
  if (end !== null && until !== undefined && (until === null || until > end)) {
    return `an expiresAt of ${end.toISOString()} or before`
  }
  // Null means the server's limit, and 0 means no limit.
  if (rate !== null && rate > 0 && perSecond !== undefined && (!perSecond || perSecond > rate)) {
    return `requestsPerSecond from 1 to ${rate}`
  }
  return undefined
}

/** An empty list allows every address. */
const areWithin = (subnets: readonly string[], own: readonly string[]): boolean =>
  subnets.length > 0 && subnets.every((subnet) => own.some((outer) => isSubnetWithin(subnet, outer)))
