import type { Database } from '../database/database.js'
import { NO_PLACE, pagesOfOthers, SEALED_COLUMNS } from '../database/sealed-column.js'
import { KeyRing, UnsealError } from '../lib/seal.js'
import { findCurrentKeyId } from './master-keys.store.js'

/** Values that one step seals again; other requests are answered between two steps. */
export const STEP_VALUES_MAX = 500

/** No key has this id. */
const NO_KEY = '-'

export async function isAnySealed(database: Database): Promise<boolean> {
  for (const column of SEALED_COLUMNS) {
    if ((await column.listOthers(database, NO_KEY, NO_PLACE, 1)).length > 0) return true
  }
  return false
}

/** Gives the id of the current master key, and counts the secrets that are sealed under another one. */
export async function readMasterKeyUse(database: Database): Promise<{ keyId: string; otherSecrets: number }> {
  const keyId = (await findCurrentKeyId(database))!
  let otherSecrets = 0
  for (const column of SEALED_COLUMNS) otherSecrets += await column.countOthers(database, keyId, NO_PLACE)
  return { keyId, otherSecrets }
}

/** Finds the first key that opens any sealed value. */
export async function findOpener(database: Database, keys: readonly Buffer[]): Promise<Buffer | undefined> {
  for (const key of keys) if (await opensAny(database, new KeyRing([key]), NO_KEY)) return key
  return undefined
}

/** Tells if the ring opens any value that is not sealed under this key. */
export async function opensAny(database: Database, ring: KeyRing, notUnder: string): Promise<boolean> {
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
