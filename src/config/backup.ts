import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { trimEnd } from '../interface/trim.js'
import { PASSPHRASE_CHARS_MIN } from '../lib/passphrase.js'
import { choice, integer, matching, reading, serverUrl, text, UNIT_MS } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

export interface S3Place {
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
}

const S3_BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const S3_PREFIX = /^(?:[\w.-]+(?:\/[\w.-]+)*)?$/

/** Parses `s3://bucket/prefix`; undefined if it is malformed. */
export function parseS3Place(text: string): S3Place | undefined {
  const [bucket = '', ...parts] = text.startsWith('s3://') ? text.slice('s3://'.length).split('/') : []
  const path = trimEnd(parts.join('/').replace(/^\/+/, ''), '/')
  if (!S3_BUCKET.test(bucket) || !S3_PREFIX.test(path) || path.split('/').includes('..')) return undefined
  return { bucket, prefix: path === '' ? '' : `${path}/` }
}

const place = reading<{ dir: string | undefined; bucket: S3Place | undefined }>((given) => {
  if (!given.startsWith('s3:')) return { dir: resolve(given), bucket: undefined }
  const bucket = parseS3Place(given)
  return bucket && { dir: undefined, bucket }
}, 'must be a directory, or a bucket and a prefix of letters, digits, dots and dashes, such as s3://backups/greenroom.')

const interval: Parser<number> = (given) => {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? []
  const ms = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
  if (ms >= UNIT_MS.m! && ms <= 366 * UNIT_MS.d!) return ms
  throw new Mistake(`must be minutes, hours or days, such as 30m, 6h or 1d, not "${given}".`)
}

/** Automatic backups: either `dir` or `bucket` is set. */
export const backup = group(
  {
    place: setting('BACKUP_DIR', place, { turnsOn: true }).about(
      'Directory, or `s3://bucket/prefix`, for backups that the service makes by itself; without it none are made.',
    ),
    everyMs: setting('BACKUP_EVERY', interval, { default: '1d' }).about(
      'How often it makes one: minutes, hours or days, such as `30m`, `6h` or `1d`.',
    ),
    keep: setting('BACKUP_KEEP', integer(1, 1_000), { default: '7' }).about(
      'How many of them are kept, 1 to 1000; older ones are deleted.',
    ),
    passphrase: setting(
      'BACKUP_PASSPHRASE',
      matching(
        new RegExp(`^.{${PASSPHRASE_CHARS_MIN},}$`, 's'),
        `must have ${PASSPHRASE_CHARS_MIN} characters or more.`,
      ),
      { secret: true },
    ).about(
      'Encrypts and authenticates them, 12 characters or more; without it they are open and hold no master key, which must be kept apart.',
    ),
  },
  {
    check: ({ place }, textOf) => [
      place.bucket !== undefined &&
        textOf('BACKUP_S3_KEY_ID') === '' &&
        'BACKUP_DIR=s3://… needs BACKUP_S3_KEY_ID and BACKUP_S3_SECRET: an access key of the storage.',
    ],
    make: ({ place, ...values }) => ({ ...place, ...values }),
  },
)

const BOTH_KEYS = 'BACKUP_S3_KEY_ID and BACKUP_S3_SECRET belong together: set both.'

/**
 * An S3-compatible storage for backups (docs/operations.md). Commands also read these settings when the service
 * itself makes no backups there.
 */
export const s3 = group(
  {
    endpoint: setting(
      'BACKUP_S3_ENDPOINT',
      serverUrl('must have no query, no fragment and no password, such as https://minio.example.com:9000.'),
    ).about(
      'Where the S3-compatible storage of `s3://` answers, such as `https://minio.example.com:9000`; without it that of Amazon in BACKUP_S3_REGION.',
    ),
    pathStyle: setting('BACKUP_S3_PATH_STYLE', choice('auto', 'on', 'off'), { default: 'auto' }).about(
      '`on`: the name of the bucket is in the path of a URL. `off`: it is in the host, before that of BACKUP_S3_ENDPOINT unless this begins with it. `auto`: it is in the path, unless BACKUP_S3_ENDPOINT is the address of the bucket at a storage that docs/operations.md lists.',
    ),
    region: setting('BACKUP_S3_REGION', matching(/^[\w-]{1,64}$/, 'must be a name such as eu-central-1.'), {
      default: 'us-east-1',
    }).about('Region of the bucket, as the storage names it.'),
    // The message does not repeat the id, because a person may have entered the secret here.
    keyId: setting('BACKUP_S3_KEY_ID', matching(/^[\x21-\x7e]+$/, 'must be visible ASCII characters.'), {
      turnsOn: true,
    }).about('Id of the access key; the key must be allowed to list, read, write and delete there.'),
    secret: setting('BACKUP_S3_SECRET', text, {
      secret: true,
      required: BOTH_KEYS,
      needs: { BACKUP_S3_KEY_ID: BOTH_KEYS },
    }).about('Its secret.'),
  },
  {
    check: ({ endpoint, pathStyle }) => [
      pathStyle === 'off' &&
        endpoint !== undefined &&
        isIP(new URL(endpoint).hostname.replace(/^\[|\]$/g, '')) !== 0 &&
        'BACKUP_S3_PATH_STYLE=off needs a name of a host in BACKUP_S3_ENDPOINT, because an address cannot hold the name of the bucket.',
    ],
    make: ({ endpoint, ...values }) => ({
      endpoint: endpoint ?? `https://s3.${values.region}.amazonaws.com`,
      ...values,
    }),
  },
)

export type S3Config = NonNullable<ConfigOf<typeof s3>>
