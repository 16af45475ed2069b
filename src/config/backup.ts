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
      'Directory, or `s3://bucket/prefix`, for scheduled backups. Without it the service makes none.',
    ),
    everyMs: setting('BACKUP_EVERY', interval, { default: '1d' }).about(
      'Time between backups in minutes, hours or days, such as `30m`, `6h` or `1d`.',
    ),
    keep: setting('BACKUP_KEEP', integer(1, 1_000), { default: '7' }).about(
      'Number of backups to keep, 1 to 1000; older ones are deleted.',
    ),
    passphrase: setting(
      'BACKUP_PASSPHRASE',
      matching(
        new RegExp(`^.{${PASSPHRASE_CHARS_MIN},}$`, 's'),
        `must have ${PASSPHRASE_CHARS_MIN} characters or more.`,
      ),
      { secret: true },
    ).about(
      'Passphrase of 12 characters or more that encrypts and authenticates backups. Without it they are not encrypted and hold no master key, which you must then keep separately.',
    ),
  },
  {
    check: ({ place }, textOf) => [
      place.bucket !== undefined &&
        textOf('BACKUP_S3_KEY_ID') === '' &&
        'BACKUP_DIR=s3://… needs BACKUP_S3_KEY_ID and BACKUP_S3_SECRET, an access key of the storage.',
    ],
    make: ({ place, ...values }) => ({ ...place, ...values }),
  },
)

const BOTH_KEYS = 'BACKUP_S3_KEY_ID and BACKUP_S3_SECRET belong together: set both.'

/**
 * An S3-compatible storage for backups (docs/backup.md). Commands also read these settings when the service
 * itself makes no backups there.
 */
export const s3 = group(
  {
    endpoint: setting(
      'BACKUP_S3_ENDPOINT',
      serverUrl('must have no query, no fragment and no password, such as https://minio.example.com:9000.'),
    ).about(
      'Address of the S3-compatible storage, such as `https://minio.example.com:9000`. The default is Amazon S3 in BACKUP_S3_REGION.',
    ),
    pathStyle: setting('BACKUP_S3_PATH_STYLE', choice('auto', 'on', 'off'), { default: 'auto' }).about(
      "`on` puts the bucket's name in the path of the URL; `off` puts it in the host name, in front of the host of BACKUP_S3_ENDPOINT unless that already begins with it. `auto` uses the path, unless BACKUP_S3_ENDPOINT is the address of a bucket at one of the storages that docs/backup.md lists.",
    ),
    region: setting('BACKUP_S3_REGION', matching(/^[\w-]{1,64}$/, 'must be a name such as eu-central-1.'), {
      default: 'us-east-1',
    }).about('Region of the bucket, as the storage names it.'),
    // The message does not repeat the id, because a person may have entered the secret here.
    keyId: setting('BACKUP_S3_KEY_ID', matching(/^[\x21-\x7e]+$/, 'must be visible ASCII characters.'), {
      turnsOn: true,
    }).about('Id of the access key, which must be allowed to list, read, write and delete in the bucket.'),
    secret: setting('BACKUP_S3_SECRET', text, {
      secret: true,
      required: BOTH_KEYS,
      needs: { BACKUP_S3_KEY_ID: BOTH_KEYS },
    }).about('Secret of the access key.'),
  },
  {
    check: ({ endpoint, pathStyle }) => [
      pathStyle === 'off' &&
        endpoint !== undefined &&
        isIP(new URL(endpoint).hostname.replace(/^\[|\]$/g, '')) !== 0 &&
        'BACKUP_S3_PATH_STYLE=off needs a host name in BACKUP_S3_ENDPOINT, because an IP address cannot contain the name of the bucket.',
    ],
    make: ({ endpoint, ...values }) => ({
      endpoint: endpoint ?? `https://s3.${values.region}.amazonaws.com`,
      ...values,
    }),
  },
)

export type S3Config = NonNullable<ConfigOf<typeof s3>>
