import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../errors.js'
import { hasBearer } from '../http/bearer.js'
import type { Context } from '../http/context.js'
import type { Principal } from '../http/principal.js'
import type { Arrival, Caller } from '../http/surfaces.js'
import { createAddressList } from '../lib/addresses.js'
import { newSecret } from '../lib/ids.js'
import { type Ready, whenReady } from '../lib/ready.js'
import { Credentials } from './credentials.js'
import { findLiveKey, keySecretContext } from './keys.store.js'
import { keyPermissions } from './permissions.js'
import { DateCheck, type DateForm, SignatureCheck } from './signature.js'
import type { ReadSnapshot } from './snapshot.js'

const SUPPORTED_VERSION = '1' // interface 9.1

/** Throws unless `x-api-version` is the supported one (interface 7.1, 9). */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['x-api-version']
  if (version === undefined || version === '') throw new ApiError('api_version_missing')
  if (version !== SUPPORTED_VERSION) throw new ApiError('api_version_unsupported')
}

/** A live key, as long as the cached access data stays current. */
interface LiveKey {
  principal: Principal
  active: boolean
  signature: SignatureCheck
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** Undefined: from any address. */
  mayCallFrom: ((address: string | undefined) => boolean) | undefined
}

/** Checked when there is no such key, so that it takes as long. */
const noKey = new SignatureCheck(newSecret())

export interface Authentication extends Pick<Context, 'config' | 'database' | 'clock' | 'sealer' | 'keyUses'> {
  readSnapshot: ReadSnapshot
}

/**
 * Makes what finds the caller in the three headers of interface 5. A 403 names what is wrong with the date or that the
 * signature does not hold, never whether the key exists or has expired; where the signature holds, a 403 tells that the key may
 * not be used from that address, and a 402 that its organization is inactive.
 */
export function createAuthenticate(
  form: DateForm,
  { config, database, clock, sealer, keyUses, readSnapshot }: Authentication,
): (arrival: Arrival) => Ready<Caller> {
  const dates = new DateCheck(form, config.clockSkewSeconds)

  const loadKey = async (keyId: string): Promise<LiveKey | undefined> => {
    const key = await findLiveKey(database, keyId)
    if (key === undefined) return undefined
    const secret = sealer.open(key.secret_sealed, keySecretContext(keyId))
    return {
      principal: {
        organizationId: key.organization_id,
        actor: { type: 'key', id: keyId },
        permissions: keyPermissions(key.permissions),
      },
      active: key.active,
      signature: new SignatureCheck(secret),
      expiresAt: key.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      mayCallFrom: key.allowed_addresses.length === 0 ? undefined : createAddressList(key.allowed_addresses),
    }
  }

  const keys = new Credentials('key', readSnapshot, loadKey, ({ principal }) => principal.organizationId)

  return (arrival) => {
    const { headers } = arrival
    const keyId = requireHeader(headers, 'x-api-key')
    const date = requireHeader(headers, 'x-date')
    const signature = requireHeader(headers, 'x-signature')
    const now = clock.now()
    dates.check(date, now)
    return whenReady(keys.find(keyId), ({ snapshot, value: key, loaded }) => {
      const holds = (key?.signature ?? noKey).holds(date, signature)
      if (key === undefined || !holds || now >= key.expiresAt) return refuse(keyId, loaded)
      if (key.mayCallFrom?.(arrival.ip) === false) throw addressNotAllowed(arrival.ip)
      if (!key.active) throw new ApiError('organization_inactive')
      keyUses.note(keyId, now)
      return { principal: key.principal, snapshot }
    })
  }

  async function refuse(keyId: string, loaded: boolean): Promise<never> {
    // Every refusal has read the database once: the time tells neither whether a key exists nor whether it is in memory.
    if (!loaded) await findLiveKey(database, keyId)
    throw new ApiError('signature_invalid')
  }
}

/** Only who holds the secret learns it: the key's own signature held. */
function addressNotAllowed(address = 'unknown'): ApiError {
  return new ApiError('address_not_allowed', {
    message: `This key may not be used from your address (${address}): call from one of its allowed addresses, or ask the operator for another key.`,
  })
}

/** Throws a 401 unless the bearer token is the operator's. */
export function authenticateOperator(headers: IncomingHttpHeaders, operatorToken: string): void {
  if (!hasBearer(headers, operatorToken)) throw new ApiError('operator_token_wrong')
}

function requireHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  if (typeof value !== 'string' || value === '') {
    throw new ApiError('header_missing', {
      message: `The ${name} header is missing: send x-api-key, x-date and x-signature.`,
    })
  }
  return value
}
