import type { Database } from '../../database/database.js'
import type { Refusal } from '../../interface/generated/types.js'
import type { Clock } from '../../lib/clock.js'
import { type ActivityRow, writeActivity } from './activity.store.js'

type Source = { organizationId: string; sourceId: string }

/** Collects in memory what sources did last: a write per delivery would cost as much as the delivery. */
export interface Activity {
  noteDelivery(source: Source): void
  noteRefusal(source: Source, reason: Refusal['reason']): void
  /** Writes the collected entries, and keeps any that cannot be written for the next flush. */
  flush(): Promise<void>
}

export function createActivity(database: Database, clock: Clock): Activity {
  let gathered = new Map<string, ActivityRow>()
  const rowOf = ({ organizationId, sourceId }: Source): ActivityRow => {
    const row = gathered.get(sourceId) ?? {
      organization_id: organizationId,
      source_id: sourceId,
      delivered_at: null,
      refused_at: null,
      reason: null,
      refused: 0,
    }
    gathered.set(sourceId, row)
    return row
  }
  return {
    noteDelivery(source) {
      rowOf(source).delivered_at = new Date(clock.now()).toISOString()
    },
    noteRefusal(source, reason) {
      const row = rowOf(source)
      row.refused_at = new Date(clock.now()).toISOString()
      row.reason = reason
      row.refused += 1
    },
    async flush() {
      if (gathered.size === 0) return
      const rows = [...gathered.values()]
      gathered = new Map()
      try {
        await writeActivity(database, rows)
      } catch (error) {
        for (const row of rows) {
          const later = gathered.get(row.source_id)
          const merged = { ...row, ...later, refused: row.refused + (later?.refused ?? 0) }
          merged.delivered_at = later?.delivered_at ?? row.delivered_at
          if (later?.refused_at == null) Object.assign(merged, { refused_at: row.refused_at, reason: row.reason })
          gathered.set(row.source_id, merged)
        }
        throw error
      }
    },
  }
}
