import type { Database } from '../database/database.js'
import type { KeyUses } from '../http/context.js'
import { recordKeyUses } from './keys.store.js'

const MINUTE_MS = 60_000

/**
 * Gathers when keys were last used, to the minute, for one statement at each flush. Bounded by the keys that there
 * are.
 */
export function createKeyUses(database: Database): KeyUses {
  /** Minutes since the epoch, by key. */
  let uses = new Map<string, number>()
  let lastKey = ''
  let lastMinute = -1

  return {
    note(keyId, nowMs) {
      const minute = Math.floor(nowMs / MINUTE_MS)
      // Most requests come from the key of the one before.
      if (minute === lastMinute && keyId === lastKey) return
      lastKey = keyId
      lastMinute = minute
      uses.set(keyId, minute)
    },
    async flush() {
      if (uses.size === 0) return
      const written = uses
      uses = new Map()
      lastMinute = -1
      try {
        await recordKeyUses(database, written)
      } catch (error) {
        uses = new Map([...written, ...uses])
        throw error
      }
    },
  }
}
