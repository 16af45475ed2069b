import type { Database } from '../../database/database.js'
import type { Clock } from '../../lib/clock.js'
import { limit } from '../../lib/limits.js'
import { letOthersWork } from '../../lib/turns.js'
import { sumWaiting } from './inbox.store.js'

const BYTES_MAX = limit('inboxBytesOfSource')
/** About what a delivery takes besides its body, including its index entries. */
const BYTES_PER_ROW = 512
const ROWS_AT_ONCE = 5_000
/** How often a full inbox is checked again. */
const LOOK_AGAIN_MS = 10_000

/** The approximate bytes waiting in one source's inbox. */
export interface WaitingBytes {
  /** Returns the seconds to wait if there is no room for this many bytes. */
  findWait(bytes: number): number | undefined
  /** Adds bytes that this process stored. */
  add(bytes: number): void
}

/**
 * Counts what this process stores, and checks the inbox only if that would fill it: most of it has been applied in the
 * meantime. A count in the database would make each delivery wait for the worker that applies earlier ones. Several
 * processes may each store this much.
 */
export function createWaitingBytes(
  database: Database,
  clock: Clock,
  { organization_id: organizationId, source_id: sourceId }: { organization_id: string; source_id: string },
  bytesMax = BYTES_MAX,
): WaitingBytes {
  let known = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let isLooking = false

  /** Stops at the limit, because anything beyond it makes no difference. */
  async function look(): Promise<void> {
    isLooking = true
    lookedAt = clock.now()
    const before = known
    let bytes = 0
    try {
      for (let after = -1; bytes < bytesMax; ) {
        const startedAt = performance.now()
        const next = await sumWaiting(
          database,
          { organizationId, sourceId },
          { after, rows: ROWS_AT_ONCE, bytesPerRow: BYTES_PER_ROW },
        )
        if (next.last === null) break
        after = next.last
        bytes += next.bytes
        await letOthersWork(performance.now() - startedAt)
      }
      // Deliveries that arrived in the meantime may be counted twice; the next check corrects that.
      known = bytes + known - before
    } catch {
      // Storing reports that the database is unavailable.
    }
    isLooking = false
  }

  const isFull = (bytes: number): boolean => known + bytes + BYTES_PER_ROW > bytesMax

  return {
    findWait(bytes) {
      const isFirst = lookedAt === Number.NEGATIVE_INFINITY
      const isDue = isFirst || (isFull(bytes) && Math.abs(clock.now() - lookedAt) >= LOOK_AGAIN_MS)
      if (isDue && !isLooking) void look()
      if (!isFull(bytes)) return undefined
      return Math.max(1, Math.ceil((lookedAt + LOOK_AGAIN_MS - clock.now()) / 1000))
    },
    add(bytes) {
      known += bytes + BYTES_PER_ROW
    },
  }
}
