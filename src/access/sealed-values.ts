import type { Database } from '../database/database.js'
import { NO_PLACE, pagesOfOthers, SEALED_COLUMNS, type SealedColumn } from '../database/sealed-column.js'
import type { MasterKeyHealth } from '../interface/generated/types.js'
import { type KeyRing, type Sealer, UnsealError } from '../lib/seal.js'
import { findCurrentKeyId } from './master-keys.store.js'

/** The most values that one step reseals; other requests are answered between two steps. */
export const STEP_VALUES_MAX = 500

/** An id that no key has. */
const NO_KEY = '-'

/** Checks the master key of the database, for the health of the server and for doctor. */
export async function judgeMasterKey(database: Database, sealer: Sealer): Promise<MasterKeyHealth> {
  const keyId = (await findCurrentKeyId(database))!
  let otherSecrets = 0
  let lostSecrets = 0
  for (const column of SEALED_COLUMNS) {
    const others = await column.countOthers(database, keyId, NO_PLACE)
    otherSecrets += others
    if (others === 0) continue
    const values = await column.listOthers(database, keyId, NO_PLACE, STEP_VALUES_MAX)
    lostSecrets += values.filter(({ place, sealed }) => !opens(sealer, sealed, column.contextOf(place))).length
  }
  const found = lostSecrets > 0 ? 'lost' : otherSecrets > 0 ? 'unfinished' : 'good'
  return { state: STATES[found], found, keyId, otherSecrets, lostSecrets }
}

const STATES = { good: 'good', unfinished: 'warning', lost: 'bad' } as const

/** Counts the secrets of a column and lists those that do not open. Reads all of them. */
export async function countSealed(database: Database, column: SealedColumn, sealer: Sealer) {
  const found = { count: 0, unopened: [] as string[] }
  for await (const values of pagesOfOthers(column, database, NO_KEY)) {
    found.count += values.length
    const lost = values.filter(({ place, sealed }) => !opens(sealer, sealed, column.contextOf(place)))
    found.unopened.push(...lost.map(({ place }) => place[1]))
  }
  return found
}

/** Returns whether the ring opens any value that is not sealed under this key. */
export async function opensAny(database: Database, ring: KeyRing, notUnder: string): Promise<boolean> {
  for (const column of SEALED_COLUMNS) {
    for await (const values of pagesOfOthers(column, database, notUnder)) {
      if (values.some(({ place, sealed }) => opens(ring, sealed, column.contextOf(place)))) return true
    }
  }
  return false
}

function opens(ring: Sealer, sealed: string, context: string): boolean {
  try {
    ring.open(sealed, context)
    return true
  } catch (error) {
    if (error instanceof UnsealError) return false
    throw error
  }
}
