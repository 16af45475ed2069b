import { findExportedBefore } from '../backup/restored.store.js'
import type { Config } from '../config/index.js'
import type { Queryable } from '../database/database.js'
import { readTableFigures } from '../database/table-figures.js'
import type { RetentionStatus, StorageStatus } from '../interface/status.js'
import { listTasks } from './housekeeping.store.js'
import { tasksOf } from './retention.js'

const DAY_MS = 86_400_000

/** Reads the size of each table and what retention has removed. */
export async function readStorage(database: Queryable, config: Pick<Config, 'retention'>): Promise<StorageStatus> {
  const tables = await readTableFigures(database)
  const done = new Map((await listTasks(database)).map((row) => [row.task, row]))
  const exportedBefore = await findExportedBefore(database)
  const retention: StorageStatus['retention'] = {}
  for (const { name, keepMs } of tasksOf(config)) {
    const row = done.get(name)
    const status: RetentionStatus = { keepDays: keepMs / DAY_MS, removed: row?.removed ?? 0 }
    if (row?.ended_at != null) status.lastDoneAt = row.ended_at.toISOString()
    if (name === 'audit' && exportedBefore !== undefined) status.exportedBefore = exportedBefore.toISOString()
    retention[name] = status
  }
  return { tables, retention }
}
