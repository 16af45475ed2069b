import { recordAudit } from '../audit/audit.store.js'
import type { Database, Log } from '../database/database.js'
import { NO_PLACE, SEALED_COLUMNS, type SealedColumn, type SealedPlace } from '../database/sealed-column.js'
import { ApiError } from '../errors.js'
import { cursorError } from '../http/detail.js'
import type { Actor } from '../http/principal.js'
import type { RotationStep } from '../interface/generated/types.js'
import type { Clock } from '../lib/clock.js'
import { KeyRing, keyIdOf, UnsealError } from '../lib/seal.js'
import {
  beginRotation,
  endRotation,
  findCurrentKeyId,
  INSTALLATION_SECRET_CONTEXT,
  listMasterKeyRows,
} from './master-keys.store.js'
import { opensAny, STEP_VALUES_MAX } from './sealed-values.js'

interface Needs {
  database: Database
  log: Log
  clock: Clock
  ring: KeyRing
  /** The installation's secret, which the master key seals. */
  secret: string
  /** Returns the key to rotate to, and remembers it. */
  next(): Buffer
  /** Called with the id of the new key when a rotation has ended. */
  onEnd(keyId: string): void
}

/** Reseals everything under the next master key, in steps (docs/decisions/keys.md). */
export class Rotation {
  constructor(private readonly needs: Needs) {}

  async step(after: string | undefined, actor: Actor): Promise<RotationStep> {
    const { database, ring } = this.needs
    const position = after === undefined ? { keyId: await this.#begin(), index: 0, place: NO_PLACE } : decode(after)
    const { keyId } = position
    const now = await listMasterKeyRows(database)
    if (now.find(({ state }) => state === 'current')?.key_id !== keyId) throw invalidPosition()
    const isReady = now.every((row) => row.state === 'retired' || ring.has(row.key_id))
    if (!isReady) throw new ApiError('rotation_impossible')
    // Another process may have begun the rotation.
    ring.sealUnder(keyId)

    let { index, place } = position
    for (; index < SEALED_COLUMNS.length; index++, place = NO_PLACE) {
      const { resealed, unopened, last } = await this.#resealSome(SEALED_COLUMNS[index]!, keyId, place, actor)
      if (last === undefined) continue
      const remaining = await this.#countFrom(keyId, index, last)
      return { keyId, resealed, unopened, remaining, after: encode({ keyId, index, place: last }) }
    }
    // A caller may have skipped an `after` or sent one of an earlier rotation. Start over while any value still
    // opens.
    if (await opensAny(database, ring, keyId)) {
      const remaining = await this.#countFrom(keyId, 0, NO_PLACE)
      return { keyId, resealed: 0, unopened: 0, remaining, after: encode({ keyId, index: 0, place: NO_PLACE }) }
    }
    await endRotation(database, keyId)
    this.needs.onEnd(keyId)
    this.needs.log.info({ keyId }, 'the master key was rotated')
    return { keyId, resealed: 0, unopened: 0, remaining: 0 }
  }

  /** Returns the id of the key to rotate to. */
  async #begin(): Promise<string> {
    const { database, ring, secret, next, log } = this.needs
    const before = await listMasterKeyRows(database)
    if (!before.some(({ state }) => state === 'retiring')) {
      const from = before.find(({ state }) => state === 'current')!.key_id
      const key = next()
      const keyId = keyIdOf(key)
      if (keyId === from || !ring.has(from)) throw new ApiError('rotation_impossible')
      ring.add(key)
      const secretSealed = new KeyRing([key]).seal(secret, INSTALLATION_SECRET_CONTEXT)
      // False if another process began a rotation at the same moment; this one joins it.
      if (await beginRotation(database, from, { keyId, secretSealed })) log.info({ keyId }, 'rotating the master key')
    }
    return (await findCurrentKeyId(database))!
  }

  /** Reseals values. One that does not open stays as it is. */
  async #resealSome(column: SealedColumn, keyId: string, after: SealedPlace, actor: Actor) {
    const { database, ring, log, clock } = this.needs
    const found = await column.listOthers(database, keyId, after, STEP_VALUES_MAX)
    const opened = found.flatMap((value) => {
      const context = column.contextOf(value.place)
      try {
        return [{ ...value, resealed: ring.seal(ring.open(value.sealed, context), context) }]
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error
        log.warn({ err: error, secret: context }, 'a secret opens under neither master key and was left as it is')
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

  async #countFrom(keyId: string, index: number, place: SealedPlace): Promise<number> {
    const { database } = this.needs
    let count = 0
    for (const [at, column] of SEALED_COLUMNS.entries()) {
      if (at >= index) count += await column.countOthers(database, keyId, at === index ? place : NO_PLACE)
    }
    return count
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

interface Position {
  keyId: string
  /** The number of the column. */
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
    // Not one of our positions: reported below.
  }
  throw invalidPosition()
}

const invalidPosition = (): ApiError =>
  cursorError('must come from the last response of this rotation; leave it out to start from the beginning')
