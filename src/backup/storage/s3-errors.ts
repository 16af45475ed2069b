import type { S3Config, S3Place } from '../../config/backup.js'
import { certificateFaultOf } from '../../lib/certificate-fault.js'
import { StorageError } from './backup-storage.js'

/** The storage, as an error message names it. */
export interface Where extends S3Place, Pick<S3Config, 'endpoint' | 'pathStyle' | 'region'> {
  title: string
  /** The name of the backup being read. */
  name?: string | undefined
}

/** A failed request, with or without a response. */
interface Failure {
  /** Undefined if there was no response. */
  status: number | undefined
  /** The storage's code, or the system's; empty if there is none. */
  code: string
  body: string
}

/** The innermost error of a chain is the most specific: fetch wraps the system's error in its own. */
function toFailure(error: unknown): Failure {
  const { status, serviceCode, body, name, code, cause } = (error ?? {}) as {
    status?: number
    serviceCode?: string
    body?: string
    name?: string
    code?: string | number
    cause?: unknown
  }
  if (typeof status === 'number') {
    const [, written] = /<Code>([\w.-]{1,100})<\/Code>/.exec(body ?? '') ?? []
    return { status, code: written ?? (serviceCode === 'Unknown' ? undefined : serviceCode) ?? '', body: body ?? '' }
  }
  if (cause !== undefined && cause !== null) {
    const below = toFailure(cause)
    if (below.status !== undefined || below.code !== '') return below
  }
  const [first] = error instanceof AggregateError ? error.errors : []
  if (first !== undefined) return toFailure(first)
  return { status: undefined, code: typeof code === 'string' ? code : name === 'TimeoutError' ? name : '', body: '' }
}

export const codeOf = (error: unknown): string => toFailure(error).code

/** The storage's codes for temporary faults. */
const TEMPORARY = new Set([
  'SlowDown',
  'RequestTimeout',
  'InternalError',
  'ServiceUnavailable',
  'BadDigest',
  'InvalidDigest',
])

/** Returns whether another attempt would fail in the same way. */
export function isLasting(error: unknown): boolean {
  if (error instanceof StorageError) return true
  const { status, code } = toFailure(error)
  if (status === undefined) return false
  return status < 500 && status !== 408 && status !== 429 && !TEMPORARY.has(code)
}

/**
 * Returns an error with a sentence for people, which contains neither the key nor its secret, nor what the storage wrote
 * about the request.
 */
export function toStorageError(error: unknown, where: Where): StorageError {
  const failure = toFailure(error)
  const { host } = new URL(where.endpoint)
  if (failure.status !== undefined) return new StorageError(describeAnswer(failure, where, host))
  const fault = certificateFaultOf(error)
  return new StorageError(
    fault === undefined
      ? withoutAnswer(failure, host)
      : `The certificate of the storage at ${host} ${fault.is}. ${fault.remedy}`,
  )
}

const withoutAnswer = ({ code }: Failure, host: string): string =>
  code === 'TimeoutError'
    ? `The storage at ${host} did not answer in time: check the network, or try again later.`
    : `The storage at ${host} cannot be reached (${code || 'no HTTP response'}): correct BACKUP_S3_ENDPOINT, or try again later.`

function describeAnswer({ status, code, body }: Failure, where: Where, host: string): string {
  const { bucket, title, region, name } = where
  // Only a backup that is read by name can be a missing object. Otherwise the bucket is missing.
  if (status === 404 && name === undefined) return toNoBucket(where)
  const [, otherRegion] =
    /<Region>([\w-]{1,64})<\/Region>/.exec(body) ?? /region is wrong; expecting '([\w-]{1,64})'/.exec(body) ?? []
  const known: Record<string, string> = {
    InvalidAccessKeyId: `The storage at ${host} does not know the key: set BACKUP_S3_KEY_ID to a key of this storage.`,
    SignatureDoesNotMatch: `The storage at ${host} rejects the signature: set BACKUP_S3_SECRET to the secret of BACKUP_S3_KEY_ID.`,
    AccessDenied: `The key is not allowed to do this in ${title}: let it list, read, write and delete there.`,
    NoSuchBucket: toNoBucket(where),
    NoSuchKey: `There is no ${name ?? 'such backup'} in ${title}: \`greenroom backup list\` shows those that exist.`,
    RequestTimeTooSkewed: `The clock of this machine is off by more than the storage at ${host} allows: set it, and keep it in sync with NTP (timedatectl set-ntp true).`,
    PreconditionFailed: `${name ?? 'The backup'} was replaced in ${title} while it was read: try again.`,
    QuotaExceeded: `The storage at ${host} is full: free some space, or raise its quota.`,
    InsufficientStorage: `The storage at ${host} is full: free some space, or raise its quota.`,
  }
  if (known[code] !== undefined) return known[code]
  if (status === 507) return known.InsufficientStorage!
  if (REGION_CODES.has(code) || status === 301 || status === 307) {
    const right = otherRegion === undefined ? 'the region of the bucket' : otherRegion
    return `The bucket ${bucket} is not in the region ${region}: set BACKUP_S3_REGION to ${right}, and BACKUP_S3_ENDPOINT to fit it.`
  }
  if (status === 404) return known.NoSuchKey!
  if (status === 403) return known.AccessDenied!
  return `The storage at ${host} answered ${status}${code === '' ? '' : ` ${code}`}: see its log, or try again later.`
}

/** A host that begins with the bucket's name may already be the bucket's own. */
export function toNoBucket({ bucket, endpoint, pathStyle }: Pick<Where, 'bucket' | 'endpoint' | 'pathStyle'>): string {
  const { host } = new URL(endpoint)
  const wrongStyle =
    host.startsWith(`${bucket}.`) && pathStyle === 'auto'
      ? ', or BACKUP_S3_PATH_STYLE=off if this host already names the bucket'
      : ''
  return `There is no bucket ${bucket} at ${host}: create it, or correct BACKUP_DIR and BACKUP_S3_ENDPOINT${wrongStyle}.`
}

const REGION_CODES = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'InvalidRegion',
])
