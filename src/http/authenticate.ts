import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../context.js'
import { ApiError } from '../errors.js'
import { newSecret } from '../lib/ids.js'
import { findLiveKey, keySecretContext } from './keys.store.js'
import { checkDate, type DateForm, signatureHolds } from './signature.js'

/** Who calls: a key acts in its one organization as administrator. */
export interface Principal {
  organizationId: string
  keyId: string
}

const SUPPORTED_VERSION = '1' // interface 9.1

/** Throws unless `x-api-version` is the supported one (interface 7.1, 9). */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['x-api-version']
  if (version === undefined || version === '') throw new ApiError('api_version_missing')
  if (version !== SUPPORTED_VERSION) throw new ApiError('api_version_unsupported')
}

/** Compared against when there is no such key, so that an unknown key takes as long to refuse as a wrong signature. */
const NO_SECRET = newSecret()

/**
 * The caller, from the three headers of interface 5. A 403 names what is wrong with the date or that the signature does
 * not hold, never whether the key exists; a 402 tells that the key's organization is inactive.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  form: DateForm,
  { config, database, clock, sealer }: Pick<Context, 'config' | 'database' | 'clock' | 'sealer'>,
): Promise<Principal> {
  const keyId = requireHeader(headers, 'x-api-key')
  const date = requireHeader(headers, 'x-date')
  const signature = requireHeader(headers, 'x-signature')
  checkDate(date, form, clock.now(), config.clockSkewSeconds)

  const key = await findLiveKey(database, keyId)
  const secret = key === undefined ? NO_SECRET : sealer.open(key.secret_sealed, keySecretContext(keyId))
  if (!signatureHolds(secret, date, signature) || key === undefined) throw new ApiError('signature_invalid')
  if (!key.active) throw new ApiError('organization_inactive')
  return { organizationId: key.organization_id, keyId }
}

/** Throws a 401 unless the bearer token is the operator's. */
export function authenticateOperator(headers: IncomingHttpHeaders, operatorToken: string): void {
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  // Digests have one length, so that the comparison tells nothing, not even the token's length.
  if (!timingSafeEqual(sha256(given), sha256(operatorToken))) throw new ApiError('operator_token_wrong')
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

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
