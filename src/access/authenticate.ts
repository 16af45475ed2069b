import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../errors.js'
import { bearerOf, hasBearer } from '../http/bearer.js'
import type { Context } from '../http/context.js'
import type { Principal } from '../http/principal.js'
import { type Bucket, type Rate, ratePerSecond } from '../http/rate-limits.js'
import type { Caller, RequestHead } from '../http/surfaces.js'
import { createAddressList } from '../lib/addresses.js'
import { newSecret } from '../lib/ids.js'
import { createLru } from '../lib/lru.js'
import { type Ready, whenReady } from '../lib/ready.js'
import { hashToken } from '../lib/tokens.js'
import { Credentials } from './credentials.js'
import { findLiveKey, keySecretContext } from './keys/keys.store.js'
import { endOf } from './maximum-age.js'
import { keyPermissions, OPERATOR_PERMISSIONS } from './permissions.js'
import { DateCheck, type DateForm, SignatureCheck } from './signature.js'
import type { ReadSnapshot } from './snapshot.js'
import { OPERATOR_TOKEN_PREFIX } from './tokens/operator-tokens.js'
import { findLiveOperatorToken } from './tokens/operator-tokens.store.js'

const ACCEPTED_TOKENS_MAX = 1_000

const SUPPORTED_VERSION = '1' // interface 9.1

/** Throws unless `x-api-version` is the supported one (interface 7.1, 9). */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['x-api-version']
  if (version === undefined || version === '') throw new ApiError('api_version_missing')
  if (version !== SUPPORTED_VERSION) throw new ApiError('api_version_unsupported')
}

/** A live key. It stays cached until the access data changes. */
interface LiveKey {
  principal: Principal
  active: boolean
  signature: SignatureCheck
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** Null for the server's limit. */
  requestsPerSecond: number | null
  /** Undefined until the key's first accepted request. */
  bucket: Bucket | undefined
  /** Undefined if any address may call. */
  mayCallFrom: ((address: string | undefined) => boolean) | undefined
}

/** Checked if the key is unknown, so that both cases take the same time. */
const noKey = new SignatureCheck(newSecret())

export interface Authentication
  extends Pick<Context, 'config' | 'database' | 'clock' | 'sealer' | 'keyUses' | 'rateLimits' | 'failedAttempts'> {
  readSnapshot: ReadSnapshot
}

/**
 * Returns a function that authenticates by the three headers of interface 5. A 403 reveals whether the date or the
 * signature is wrong, never whether the key exists or has expired. Only after the signature has verified does a 403
 * report a disallowed address, and a 402 an inactive organization.
 */
export function createAuthenticate(
  form: DateForm,
  { config, database, clock, sealer, keyUses, rateLimits, failedAttempts, readSnapshot }: Authentication,
): (head: RequestHead) => Ready<Caller> {
  const dates = new DateCheck(form, config.access.clockSkewSeconds)
  const { key: keyLimit } = rateLimits

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
      requestsPerSecond: key.requests_per_second,
      bucket: undefined,
      expiresAt: endOf(key, config.access.keyMaxAgeMs).at?.getTime() ?? Number.POSITIVE_INFINITY,
      mayCallFrom: key.allowed_addresses.length === 0 ? undefined : createAddressList(key.allowed_addresses),
    }
  }

  const keys = new Credentials('key', readSnapshot, loadKey, ({ principal }) => principal.organizationId)

  return (head) => {
    const { headers } = head
    const keyId = requireHeader(headers, 'x-api-key')
    const date = requireHeader(headers, 'x-date')
    const signature = requireHeader(headers, 'x-signature')
    const now = clock.now()
    dates.check(date, now)
    // A key that was accepted before keeps working from an address where others fail: they may share a proxy.
    if (failedAttempts.size > 0 && !keyLimit.has(keyId)) failedAttempts.check(head.ip)
    return whenReady(keys.find(keyId), ({ snapshot, value: key, loaded }) => {
      const holds = (key?.signature ?? noKey).holds(date, signature)
      if (key === undefined || !holds || now >= key.expiresAt) {
        // A key that is not found was revoked or never existed. Refusals of keys that never existed are dropped
        // before they are written.
        keyUses.refuse(keyId, key !== undefined && !holds ? 'signature' : 'ended', now)
        return refuse(keyId, loaded, head.ip)
      }
      if (key.mayCallFrom?.(head.ip) === false) {
        keyUses.refuse(keyId, 'address', now)
        throw addressNotAllowed(head.ip)
      }
      if (!key.active) throw new ApiError('organization_inactive')
      keyUses.note(keyId, now)
      key.bucket ??= keyLimit.bucketOf(keyId, rateOf(key.requestsPerSecond))
      try {
        return { principal: key.principal, snapshot, answerHeaders: keyLimit.take(key.bucket, now) }
      } catch (error) {
        keyUses.refuse(keyId, 'rate', now)
        throw error
      }
    })
  }

  async function refuse(keyId: string, loaded: boolean, address: string): Promise<never> {
    failedAttempts.check(address)
    // Every refusal reads the database once, so that its time does not reveal whether the key exists or is cached.
    if (!loaded) await findLiveKey(database, keyId)
    failedAttempts.note(address)
    throw new ApiError('signature_invalid')
  }
}

/** Undefined for the server's limit. */
const rateOf = (requestsPerSecond: number | null): Rate | undefined =>
  requestsPerSecond === null ? undefined : ratePerSecond(requestsPerSecond)

/** Reveals the address list only to a holder of the secret: the signature has verified. */
function addressNotAllowed(address: string): ApiError {
  return new ApiError('address_not_allowed', {
    message: `This key cannot be used from your address (${address}): call from one of its allowed addresses, or ask the operator for another key.`,
  })
}

/**
 * Returns a function that authenticates an operator by OPERATOR_TOKEN or by an issued, named token. It throws a 401.
 */
export function createAuthenticateOperator(
  operatorToken: string,
  {
    config,
    database,
    clock,
    failedAttempts,
    readSnapshot,
  }: Pick<Authentication, 'config' | 'database' | 'clock' | 'failedAttempts' | 'readSnapshot'>,
): (head: RequestHead) => Promise<Caller> {
  /** Digests of accepted tokens, which keep working from an address where others fail. */
  const accepted = createLru<string, true>(ACCEPTED_TOKENS_MAX)

  return async ({ headers, ip }) => {
    if (hasBearer(headers, operatorToken)) {
      const principal = { actor: { type: 'operator' }, permissions: OPERATOR_PERMISSIONS } as const
      return { principal, snapshot: await readSnapshot() }
    }
    const token = bearerOf(headers)
    // Not counted as a failed attempt: there was no token to guess.
    if (token === undefined) throw new ApiError('operator_token_wrong')
    const hash = hashToken(token)
    if (!accepted.has(hash)) failedAttempts.check(ip)
    const snapshot = await readSnapshot()
    const row = token.startsWith(OPERATOR_TOKEN_PREFIX)
      ? await (await snapshot.cacheOf('')).getOrLoad(['operatorToken', hash], () =>
          findLiveOperatorToken(database, hash),
        )
      : undefined
    const end = row && endOf(row, config.access.operatorTokenMaxAgeMs).at
    if (row === undefined || (end != null && end.getTime() <= clock.now())) {
      accepted.delete(hash)
      failedAttempts.note(ip)
      throw new ApiError('operator_token_wrong')
    }
    accepted.set(hash, true)
    return { principal: { actor: { type: 'operator', id: row.name }, permissions: OPERATOR_PERMISSIONS }, snapshot }
  }
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
