import type { Database } from '../../database/database.js'
import { limit } from '../../lib/limits.js'
import { letOthersWork } from '../../lib/turns.js'
import { emptyOldestKept, emptyOldestProblems, listSourcesBeyond } from './worker.store.js'

const BYTES_MAX = limit('keptBytesOfSource')
/** The most rows that one transaction empties. */
const ROWS = 500
const NOT_KEPT =
  ' The source has reached its limit for stored bodies, so this body was deleted and the delivery cannot be retried.'

/**
 * Empties the oldest bodies of sources that keep too many bytes: first those of applied deliveries, then those of problems.
 */
export async function trimKeptBytes(database: Database, organizationId: string, bytesMax = BYTES_MAX): Promise<void> {
  for (;;) {
    const sources = await listSourcesBeyond(database, organizationId, bytesMax)
    if (sources.length === 0) return
    const startedAt = performance.now()
    const emptied = await Promise.all(sources.map((source) => emptySome(database, organizationId, source)))
    if (emptied.every((rows) => rows === 0)) return
    await letOthersWork(performance.now() - startedAt)
  }
}

const emptySome = (
  database: Database,
  organizationId: string,
  source: { sourceId: string; beyond: number },
): Promise<number> =>
  database.transaction(async (tx) => {
    const beyond = { ...source, rows: ROWS }
    const { emptied } = await emptyOldestKept(tx, organizationId, beyond)
    return emptied > 0 ? emptied : (await emptyOldestProblems(tx, organizationId, beyond, NOT_KEPT)).emptied
  })
