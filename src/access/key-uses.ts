import type { Database } from '../database/database.js'
import type { KeyUses } from '../http/context.js'
import type { KeyRefusal } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import { recordKeyRefusals, recordKeyUses } from './keys.store.js'

const MINUTE_MS = 60_000

interface Refusals {
  count: number
  /** Milliseconds since the epoch. */
  at: number
  reason: KeyRefusal
}

/**
 * Gathers when keys were last used, to the minute, and what was refused to them, for a statement each at each flush.
 * Bounded by the keys that there are; refusals may name any id, and so have a bound of their own.
 */
export function createKeyUses(database: Database): KeyUses {
  /** Minutes since the epoch, by key. */
  let uses = new Map<string, number>()
  let refusals = new Map<string, Refusals>()
  let lastKey = ''
  let lastMinute = -1

  async function flushUses(): Promise<void> {
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
  }

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
    note(keyId, nowMs) {
      const minute = Math.floor(nowMs / MINUTE_MS)
      // Most requests come from the key of the one before.
      if (minute === lastMinute && keyId === lastKey) return
      lastKey = keyId
      lastMinute = minute
      uses.set(keyId, minute)
    },
    refuse(keyId, reason, nowMs) {
      const before = refusals.get(keyId)
      if (before === undefined && refusals.size >= limit('refusedKeys')) return
      refusals.set(keyId, { count: (before?.count ?? 0) + 1, at: nowMs, reason })
    },
    async flush() {
      await flushUses()
      await flushRefusals()
    },
  }
}
