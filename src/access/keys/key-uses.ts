import type { Database } from '../../database/database.js'
import type { KeyUses, Uses } from '../../http/context.js'
import type { KeyRefusal } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { recordKeyRefusals, recordKeyUses } from './keys.store.js'

const MINUTE_MS = 60_000

interface Refusals {
  count: number
  /** Milliseconds since the epoch. */
  at: number
  reason: KeyRefusal
}

/**
 * Collects when keys or tokens were last used, to the minute, and writes it in one statement per flush. Only existing
 * ones are noted, which bounds it.
 */
export function createUses(
  database: Database,
  record: (database: Database, uses: ReadonlyMap<string, number>) => Promise<void>,
): Uses {
  /** Minutes since the epoch, by id. */
  let uses = new Map<string, number>()
  let lastId = ''
  let lastMinute = -1
  return {
    note(id, nowMs) {
      const minute = Math.floor(nowMs / MINUTE_MS)
      // Most requests use the same key as the one before.
      if (minute === lastMinute && id === lastId) return
      lastId = id
      lastMinute = minute
      uses.set(id, minute)
    },
    async flush() {
      if (uses.size === 0) return
      const written = uses
      uses = new Map()
      lastMinute = -1
      try {
        await record(database, written)
      } catch (error) {
        uses = new Map([...written, ...uses])
        throw error
      }
    },
  }
}

/** Also counts refused requests. They may name any id, so their number is bounded separately. */
export function createKeyUses(database: Database): KeyUses {
  const uses = createUses(database, recordKeyUses)
  let refusals = new Map<string, Refusals>()

  async function flushRefusals(): Promise<void> {
    if (refusals.size === 0) return
    const written = refusals
    refusals = new Map()
    try {
      await recordKeyRefusals(database, written)
    } catch (error) {
      for (const [keyId, { count }] of refusals) {
        const before = written.get(keyId)
        if (before !== undefined) refusals.get(keyId)!.count = count + before.count
      }
      refusals = new Map([...written, ...refusals])
      throw error
    }
  }

  return {
    note: uses.note,
    refuse(keyId, reason, nowMs) {
      const before = refusals.get(keyId)
      if (before === undefined && refusals.size >= limit('refusedKeys')) return
      refusals.set(keyId, { count: (before?.count ?? 0) + 1, at: nowMs, reason })
    },
    async flush() {
      await uses.flush()
      await flushRefusals()
    },
  }
}
