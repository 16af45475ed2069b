import { reading } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** Returns whether this is a key of 32 bytes in hex. */
export const isMasterKey = (given: string): boolean => /^[0-9a-f]{64}$/i.test(given)

const key = reading(
  (given) => (isMasterKey(given) ? Buffer.from(given, 'hex') : undefined),
  'must be 64 hex digits: make one with `openssl rand -hex 32`.',
)

const NOT_PREVIOUS =
  'MASTER_KEY_PREVIOUS needs another key in MASTER_KEY: set MASTER_KEY to the new key of the rotation.'

export const masterKeys = group(
  {
    current: setting('MASTER_KEY', key, { secret: true }).about(
      "64 hex digits that seal the secrets of keys and the platform's access tokens. Required with DATABASE_URL; otherwise the first start creates one in DATA_DIR.",
    ),
    previous: setting('MASTER_KEY_PREVIOUS', key, { secret: true, needs: { MASTER_KEY: NOT_PREVIOUS } }).about(
      'The previous master key during a rotation. It opens the secrets that are not sealed with the new one yet.',
    ),
  },
  { check: ({ current, previous }) => [previous !== undefined && current?.equals(previous) && NOT_PREVIOUS] },
)

export type MasterKeysConfig = ConfigOf<typeof masterKeys>
