import type { Config } from '../config.js'
import type { Database, Log } from '../database/database.js'
import {
  NO_PLACE,
  pagesOfOthers,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedPlace,
} from '../database/sealed-column.js'
import { ApiError } from '../errors.js'
import type { Actor } from '../http/principal.js'
import type { RotationStep } from '../interface/access.js'
import type { Clock } from '../lib/clock.js'
import { newSecret } from '../lib/ids.js'
import { MasterKeyFile } from '../lib/master-key.js'
import { type PassphraseCost, sealUnderPassphrase } from '../lib/passphrase.js'
import { deriveKey, KeyRing, keyIdOf, type Sealer, UnsealError } from '../lib/seal.js'
import { StartError } from '../lib/start-error.js'
import { recordAudit } from './audit.store.js'
import {
  beginRotation,
  endRotation,
  findCurrentKeyId,
  INSTALLATION_SECRET_CONTEXT,
  insertFirstMasterKey,
  listMasterKeyRows,
  type MasterKeyRow,
} from './master-keys.store.js'

/** The master keys that this process has, and what rests under them (docs/decisions/0016). */
export interface MasterKeys {
  /** Seals under the current key of the database. */
  sealer: Sealer
  /** Signs the insights cursors. The same in every process, and after a rotation. */
  cursorKey: Buffer
  /** Learns which key is the current one, for other processes rotate too. */
  refresh(): Promise<void>
  /**
   * Takes the next step of a rotation, or without `after` the first one: begins it, or joins one that is under way. Throws
   * rotation_impossible, or validation_failed for an `after` that is not of this rotation. Each organization whose secrets
   * it seals again has it in its audit trail.
   */
  rotate(after: string | undefined, actor: Actor): Promise<RotationStep>
  /** These keys for a backup: JSON of them in hex, sealed under the passphrase. Throws when one is not here. */
  sealKeys(
    keyIds: readonly string[],
    ...under: [passphrase: string, context: string, cost: PassphraseCost['value']]
  ): ReturnType<typeof sealUnderPassphrase>
}

interface Options {
  config: Pick<Config, 'masterKey' | 'masterKeyPrevious' | 'dataDir'>
  log: Log
  clock: Clock
}

/** Values that one step seals again; other requests are answered between two steps. */
const STEP_VALUES_MAX = 500

/** Throws StartError unless the keys of the configuration are those of the database. A new database takes the first one. */
export async function openMasterKeys(database: Database, { config, log, clock }: Options): Promise<MasterKeys> {
  const file = config.masterKey === undefined ? new MasterKeyFile(config.dataDir) : undefined
  const given = file === undefined ? keysOf(config) : await readKeyFile(database, file)
  const rows = await readRows(database, given, file)
  const current = rows.find(({ state }) => state === 'current')!
  const ring = new KeyRing(given)
  if (!ring.has(current.key_id)) throw wrongKey(file, rows, given[0])
  const retiring = rows.find(({ state }) => state === 'retiring')
  if (retiring !== undefined && !ring.has(retiring.key_id)) throw halfRotated(file, retiring.key_id)
  const secret = openSecret(ring, current)
  ring.sealUnder(current.key_id)
  if (retiring === undefined) adoptNext(file, current.key_id)
  if (keyIdOf(given[0]) !== current.key_id || retiring !== undefined) {
    log.info('a rotation of the master key is prepared or under way: `greenroom master-key rotate` finishes it')
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

  /** Gives the id of the key to which it goes. */
  async function begin(): Promise<string> {
    const before = await listMasterKeyRows(database)
    if (!before.some(({ state }) => state === 'retiring')) {
      const from = before.find(({ state }) => state === 'current')!.key_id
      const next = file?.makeNext() ?? given[0]
      const keyId = keyIdOf(next)
      if (keyId === from || !ring.has(from)) throw new ApiError('rotation_impossible')
      ring.add(next)
      known.set(keyId, next)
      const secretSealed = new KeyRing([next]).seal(secret, INSTALLATION_SECRET_CONTEXT)
      // False when another process began one in this moment, which is joined.
      if (await beginRotation(database, from, { keyId, secretSealed })) log.info({ keyId }, 'rotating the master key')
    }
    return (await findCurrentKeyId(database))!
  }

  async function rotate(after: string | undefined, actor: Actor): Promise<RotationStep> {
    const position = after === undefined ? { keyId: await begin(), index: 0, place: NO_PLACE } : decode(after)
    const { keyId } = position
    const now = await listMasterKeyRows(database)
    if (now.find(({ state }) => state === 'current')?.key_id !== keyId) throw invalidPosition()
    const isReady = now.every((row) => row.state === 'retired' || ring.has(row.key_id))
    if (!isReady) throw new ApiError('rotation_impossible')
    // Another process may have begun it.
    ring.sealUnder(keyId)

    let { index, place } = position
    for (; index < SEALED_COLUMNS.length; index++, place = NO_PLACE) {
      const { resealed, unopened, last } = await resealSome(SEALED_COLUMNS[index]!, keyId, place, actor)
      if (last === undefined) continue
      const remaining = await countFrom(keyId, index, last)
      return { keyId, resealed, unopened, remaining, after: encode({ keyId, index, place: last }) }
    }
    // An `after` may have been skipped or be that of an earlier rotation: what opens is not left behind.
    if (await opensAny(database, ring, keyId)) {
      const remaining = await countFrom(keyId, 0, NO_PLACE)
      return { keyId, resealed: 0, unopened: 0, remaining, after: encode({ keyId, index: 0, place: NO_PLACE }) }
    }
    await endRotation(database, keyId)
    adoptNext(file, keyId)
    log.info({ keyId }, 'the master key is rotated')
    return { keyId, resealed: 0, unopened: 0, remaining: 0 }
  }

  /** What does not open stays as it is. */
  async function resealSome(column: SealedColumn, keyId: string, after: SealedPlace, actor: Actor) {
    const found = await column.listOthers(database, keyId, after, STEP_VALUES_MAX)
    const opened = found.flatMap((value) => {
      const context = column.contextOf(value.place)
      try {
        return [{ ...value, resealed: ring.seal(ring.open(value.sealed, context), context) }]
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error
        log.warn({ err: error, secret: context }, 'a secret opens under neither master key and is left as it is')
        return []
      }
    })
    const resealed = await database.transaction(async (tx) => {
      const organizationIds = await column.replace(tx, opened)
      for (const [organizationId, secrets] of Object.entries(countBy(organizationIds))) {
        await recordAudit(tx, {
          principal: { organizationId, actor },
          at: new Date(clock.now()),
          operation: 'rotateMasterKey',
          target: { type: 'masterKey', id: keyId },
          changes: { secrets },
        })
      }
      return organizationIds.length
    })
    return { resealed, unopened: found.length - opened.length, last: found.at(-1)?.place }
  }

  async function countFrom(keyId: string, index: number, place: SealedPlace): Promise<number> {
    let count = 0
    for (const [at, column] of SEALED_COLUMNS.entries()) {
      if (at >= index) count += await column.countOthers(database, keyId, at === index ? place : NO_PLACE)
    }
    return count
  }

  return {
    sealer: ring,
    cursorKey: deriveKey(Buffer.from(secret, 'hex'), 'greenroom cursor'),
    refresh,
    rotate,
    async sealKeys(keyIds, ...under) {
      const keys = keyIds.map((keyId) => {
        const key = known.get(keyId)
        if (key === undefined) throw new UnsealError(`the master key ${keyId} is not here`)
        return key.toString('hex')
      })
      return await sealUnderPassphrase(Buffer.from(JSON.stringify(keys)), ...under)
    },
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

type Keys = readonly [Buffer, ...Buffer[]]

const keysOf = ({ masterKey, masterKeyPrevious }: Options['config']): Keys =>
  masterKeyPrevious === undefined ? [masterKey!] : [masterKey!, masterKeyPrevious]

/** Makes the file of a new database. A lost one is never replaced: the secrets would be lost with it. */
async function readKeyFile(database: Database, file: MasterKeyFile): Promise<Keys> {
  let key = file.read()
  if (key === undefined) {
    if ((await listMasterKeyRows(database)).length > 0 || (await isAnySealed(database))) {
      throw new StartError(
        `${file.path} is missing, and without it no secret in the database opens: restore it from a backup of the data directory.`,
      )
    }
    key = file.make()
  }
  const next = file.readNext()
  return next === undefined ? [key] : [key, next]
}

/** With a current key: a database without one gets the key that opens what is sealed there, or the first. */
async function readRows(database: Database, given: Keys, file: MasterKeyFile | undefined): Promise<MasterKeyRow[]> {
  const rows = await listMasterKeyRows(database)
  if (rows.length > 0) return rows
  const key = (await isAnySealed(database)) ? await findOpener(database, given) : given[0]
  if (key === undefined) throw wrongKey(file, rows, given[0])
  const secretSealed = new KeyRing([key]).seal(newSecret(), INSTALLATION_SECRET_CONTEXT)
  await insertFirstMasterKey(database, keyIdOf(key), secretSealed)
  return await listMasterKeyRows(database)
}

/** No key has this id. */
const NO_KEY = '-'

async function isAnySealed(database: Database): Promise<boolean> {
  for (const column of SEALED_COLUMNS) {
    if ((await column.listOthers(database, NO_KEY, NO_PLACE, 1)).length > 0) return true
  }
  return false
}

/** The first key that opens any sealed value. */
async function findOpener(database: Database, keys: Keys): Promise<Buffer | undefined> {
  for (const key of keys) if (await opensAny(database, new KeyRing([key]), NO_KEY)) return key
  return undefined
}

/** Whether the ring opens any value that is not sealed under this key. */
async function opensAny(database: Database, ring: KeyRing, notUnder: string): Promise<boolean> {
  for (const column of SEALED_COLUMNS) {
    for await (const values of pagesOfOthers(column, database, notUnder)) {
      if (values.some(({ place, sealed }) => opens(ring, sealed, column.contextOf(place)))) return true
    }
  }
  return false
}

function opens(ring: KeyRing, sealed: string, context: string): boolean {
  try {
    ring.open(sealed, context)
    return true
  } catch (error) {
    if (error instanceof UnsealError) return false
    throw error
  }
}

function openSecret(ring: KeyRing, current: MasterKeyRow): string {
  try {
    return ring.open(current.secret_sealed, INSTALLATION_SECRET_CONTEXT)
  } catch (cause) {
    throw new StartError('The secret of the database does not open under its own master key: restore a backup.', {
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
      : `${sourceOf(file)} is not the master key of this database, and opens none of its secrets: set the one that it was made with.`,
  )
}

const halfRotated = (file: MasterKeyFile | undefined, keyId: string): StartError =>
  new StartError(
    `A rotation of the master key is not finished, and the secrets that it has not reached need the key before, ${keyId}: ${
      file === undefined ? 'set MASTER_KEY_PREVIOUS to it' : `restore ${file.path}`
    }.`,
  )

interface Position {
  keyId: string
  /** Of the column. */
  index: number
  place: SealedPlace
}

const encode = ({ keyId, index, place }: Position): string =>
  Buffer.from(JSON.stringify([keyId, index, ...place])).toString('base64url')

function decode(after: string): Position {
  try {
    const [keyId, index, organizationId, id] = JSON.parse(Buffer.from(after, 'base64url').toString('utf8'))
    const isText = [keyId, organizationId, id].every((part) => typeof part === 'string')
    if (isText && Number.isInteger(index) && index >= 0) return { keyId, index, place: [organizationId, id] }
  } catch {
    // Not one of ours: said below.
  }
  throw invalidPosition()
}

const invalidPosition = (): ApiError =>
  new ApiError('validation_failed', {
    details: [
      {
        message: '"after" must be that of the last answer of this rotation; leave it out to go on from the start',
        path: ['after'],
        type: 'cursor.invalid',
        context: { label: 'after', key: 'after' },
      },
    ],
  })
