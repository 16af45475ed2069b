import type { Config } from '../config/index.js'
import type { MasterKeysConfig } from '../config/master-keys.js'
import type { Database, Log } from '../database/database.js'
import type { Actor } from '../http/principal.js'
import type { RotationStep } from '../interface/generated/types.js'
import type { Clock } from '../lib/clock.js'
import { newSecret } from '../lib/ids.js'
import { MasterKeyFile } from '../lib/master-key.js'
import { type PassphraseCost, sealUnderPassphrase } from '../lib/passphrase.js'
import { deriveKey, KeyRing, keyIdOf, type Sealer, UnsealError } from '../lib/seal.js'
import { StartError } from '../lib/start-error.js'
import { Rotation } from './master-key-rotation.js'
import {
  findCurrentKeyId,
  INSTALLATION_SECRET_CONTEXT,
  insertFirstMasterKey,
  listMasterKeyRows,
  type MasterKeyRow,
} from './master-keys.store.js'

/** The master keys of this process and what depends on them (docs/decisions/keys.md). */
export interface MasterKeys {
  /** Seals under the current key of the database. */
  sealer: Sealer
  /** Signs cursors. The same in every process and after a rotation. */
  cursorKey: Buffer
  /**
   * Makes random decisions repeatable for each comment, and seeds raffles. The same in every process and after a
   * rotation.
   */
  chanceKey: Buffer
  /** Reads which key is current, because other processes rotate too. */
  refresh(): Promise<void>
  /**
   * Takes the next step of a rotation. Without `after`, begins one or joins the one in progress. Throws
   * rotation_impossible, or validation_failed for an `after` of another rotation. Writes to the audit trail of each
   * organization whose secrets it reseals.
   */
  rotate(after: string | undefined, actor: Actor): Promise<RotationStep>
  /** Seals these keys under a passphrase for a backup, as JSON in hex. Throws if one is missing here. */
  sealKeys(
    keyIds: readonly string[],
    ...under: [passphrase: string, context: string, cost: PassphraseCost['value']]
  ): ReturnType<typeof sealUnderPassphrase>
}

interface Options {
  config: Pick<Config, 'masterKeys' | 'database'>
  log: Log
  clock: Clock
}

/**
 * Opens the master keys. Throws StartError unless the configured keys are those of the database. A new database
 * adopts the first one.
 */
export async function openMasterKeys(database: Database, { config, log, clock }: Options): Promise<MasterKeys> {
  const file = config.masterKeys.current === undefined ? new MasterKeyFile(config.database.dataDir) : undefined
  const given = file === undefined ? keysOf(config.masterKeys) : await readKeyFile(database, file)
  const rows = await readRows(database, given)
  const current = rows.find(({ state }) => state === 'current')!
  const ring = new KeyRing(given)
  if (!ring.has(current.key_id)) throw wrongKey(file, rows, given[0])
  const retiring = rows.find(({ state }) => state === 'retiring')
  if (retiring !== undefined && !ring.has(retiring.key_id)) throw halfRotated(file, retiring.key_id)
  const secret = openSecret(ring, current)
  ring.sealUnder(current.key_id)
  if (retiring === undefined) adoptNext(file, current.key_id)
  if (keyIdOf(given[0]) !== current.key_id || retiring !== undefined) {
    log.info('a rotation of the master key is prepared or in progress: `greenroom master-key rotate` finishes it')
  }
  const known = new Map<string, Buffer>(given.map((key) => [keyIdOf(key), key]))
  let missingKeyId: string | undefined

  async function refresh(): Promise<void> {
    const keyId = await findCurrentKeyId(database)
    if (keyId === undefined || keyId === missingKeyId) return
    if (ring.has(keyId)) return ring.sealUnder(keyId)
    missingKeyId = keyId
    log.error({ keyId }, 'the master key was rotated to one that this process does not have: start it with the new key')
  }

  const rotation = new Rotation({
    ...{ database, log, clock, ring, secret },
    next() {
      const next = file?.makeNext() ?? given[0]
      known.set(keyIdOf(next), next)
      return next
    },
    onEnd: (keyId) => adoptNext(file, keyId),
  })

  return {
    sealer: ring,
    cursorKey: deriveKey(Buffer.from(secret, 'hex'), 'greenroom cursor'),
    chanceKey: deriveKey(Buffer.from(secret, 'hex'), 'greenroom chance'),
    refresh,
    rotate: (after, actor) => rotation.step(after, actor),
    async sealKeys(keyIds, ...under) {
      const keys = keyIds.map((keyId) => {
        const key = known.get(keyId)
        if (key === undefined) throw new UnsealError(`the master key ${keyId} is missing here`)
        return key.toString('hex')
      })
      return await sealUnderPassphrase(Buffer.from(JSON.stringify(keys)), ...under)
    },
  }
}

type Keys = readonly [Buffer, ...Buffer[]]

const keysOf = ({ current, previous }: MasterKeysConfig): Keys =>
  previous === undefined ? [current!] : [current!, previous]

/**
 * Reads the key file, or creates it for a new database. Never replaces a lost file: the secrets would be lost with
 * it.
 */
async function readKeyFile(database: Database, file: MasterKeyFile): Promise<Keys> {
  let key = file.read()
  if (key === undefined) {
    if ((await listMasterKeyRows(database)).length > 0) {
      throw new StartError(
        `${file.path} is missing, and no secret in the database can be opened without it: restore it from a backup of the data directory.`,
      )
    }
    key = file.make()
  }
  const next = file.readNext()
  return next === undefined ? [key] : [key, next]
}

/** Reads the key rows. A new database adopts the given key first. */
async function readRows(database: Database, [key]: Keys): Promise<MasterKeyRow[]> {
  const rows = await listMasterKeyRows(database)
  if (rows.length > 0) return rows
  const secretSealed = new KeyRing([key]).seal(newSecret(), INSTALLATION_SECRET_CONTEXT)
  await insertFirstMasterKey(database, keyIdOf(key), secretSealed)
  return await listMasterKeyRows(database)
}

function openSecret(ring: KeyRing, current: MasterKeyRow): string {
  try {
    return ring.open(current.secret_sealed, INSTALLATION_SECRET_CONTEXT)
  } catch (cause) {
    throw new StartError('The secret of the database cannot be opened with its own master key: restore a backup.', {
      cause,
    })
  }
}

function adoptNext(file: MasterKeyFile | undefined, currentKeyId: string): void {
  const next = file?.readNext()
  if (next !== undefined && keyIdOf(next) === currentKeyId) file!.adoptNext()
}

const sourceOf = (file: MasterKeyFile | undefined): string => file?.path ?? 'MASTER_KEY'

function wrongKey(file: MasterKeyFile | undefined, rows: readonly MasterKeyRow[], key: Buffer): StartError {
  const isRetired = rows.some(({ key_id, state }) => state === 'retired' && key_id === keyIdOf(key))
  return new StartError(
    isRetired
      ? `${sourceOf(file)} was replaced by a newer master key: set that one.`
      : `${sourceOf(file)} is not the master key of this database and opens none of its secrets: set the key that the database was created with.`,
  )
}

const halfRotated = (file: MasterKeyFile | undefined, keyId: string): StartError =>
  new StartError(
    `A rotation of the master key is not finished, and the secrets that it has not reached need the previous key, ${keyId}: ${
      file === undefined ? 'set MASTER_KEY_PREVIOUS to it' : `restore ${file.path}`
    }.`,
  )
