import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { toActorBody } from '../audit/actor.js'
import { recordAudit, SERVER } from '../audit/audit.store.js'
import { openDirectory } from '../backup/storage/directory.js'
import { writeFileWhole } from '../backup/write-file.js'
import { type Deleted, deleteInBatches, deleteOfEach, type RowBudget } from '../database/batches.js'
import type { Database } from '../database/database.js'
import { newSecret } from '../lib/ids.js'
import { letOthersWork } from '../lib/turns.js'
import {
  deleteExported,
  type ExportedRow,
  findExported,
  listEntriesBefore,
  listExports,
  listTrails,
  recordExport,
} from './audit-exports.store.js'
import { BY_SETTINGS, type RetentionContext, type Task } from './task.js'

type ExportedTrail = Awaited<ReturnType<typeof listExports>>[number]

const PAGE_ROWS = 100
/** Keeps files small enough to open. */
const FILE_ENTRIES_MAX = 50_000
const ORGANIZATIONS_AT_ONCE = 100

const EXPORT_NAME = /^audit-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[0-9a-f]{8}\.ndjson$/

/**
 * Makes a name such as `audit-2026-11-23T091500.250Z-5f0c2a9d.ndjson`. Names sort in the order of the files; the
 * random part prevents duplicates after a clock was set back.
 */
const exportName = (at: Date): string =>
  `audit-${at.toISOString().replaceAll(':', '')}-${newSecret().slice(0, 8)}.ndjson`

/**
 * Exports the entries before an instant and removes them. A crash in between loses nothing: entries in a file that is
 * not yet recorded are exported again under another name, and the next round removes the recorded ones.
 */
export const removeOldEntries: Task = async (context, before, budget) => {
  const isMore = await exportEntries(context, before, budget)
  const { deleted, done } = await removeExported(context.database, budget)
  return { deleted, done: done && !isMore }
}

/** Writes entries that are not yet exported into a file, if there are any. Returns true if there are more. */
async function exportEntries(context: RetentionContext, before: Date, budget: RowBudget): Promise<boolean> {
  const { clock, config, database, log } = context
  const entries = readEntries(database, before, budget)
  const first = await entries.next()
  if (first.done) return first.value === 'more'
  const at = new Date(clock.now())
  const file = exportName(at)
  const through = new Map<string, number>()
  const digest = createHash('sha256')
  let count = 0
  const { exportDir } = config.retention.audit!
  const { bytes, result: isMore } = await writeFileWhole(join(exportDir, file), async (write) => {
    for (let page: IteratorResult<ExportedRow[], 'all' | 'more'> = first; ; page = await entries.next()) {
      if (page.done) return page.value === 'more'
      const block = Buffer.from(page.value.map((row) => `${JSON.stringify(toExported(row))}\n`).join(''))
      await write(block)
      digest.update(block)
      count += page.value.length
      for (const { organization_id, audit_id } of page.value) through.set(organization_id, audit_id)
    }
  })
  // A killed process may have left unfinished files.
  await openDirectory(exportDir).removeUnfinished(EXPORT_NAME)
  await database.transaction(async (tx) => {
    await recordExport(tx, { through, before, file })
    await recordAudit(tx, {
      principal: { organizationId: SERVER, actor: BY_SETTINGS },
      at,
      operation: 'exportAuditTrail',
      target: { type: 'server', id: SERVER },
      changes: { file, entries: count, before: before.toISOString(), sha256: digest.digest('hex') },
    })
  })
  log.info({ file, entries: count, bytes }, 'old entries of the audit trail were exported')
  return isMore
}

/** Yields pages of entries, each of one organization. Returns `more` if it stopped before the end. */
async function* readEntries(
  database: Database,
  before: Date,
  budget: RowBudget,
): AsyncGenerator<ExportedRow[], 'all' | 'more'> {
  let left = FILE_ENTRIES_MAX
  const trails = itemsOf((last: string | undefined) => listTrails(database, last ?? '', ORGANIZATIONS_AT_ONCE))
  for await (const organizationId of trails) {
    for (let after = await findExported(database, organizationId); ; ) {
      if (left <= 0 || budget.rows === 0) return 'more'
      const startedAt = performance.now()
      const page = await listEntriesBefore(database, organizationId, { after, before, rows: PAGE_ROWS })
      if (page.length > 0) yield page
      left -= page.length
      if (page.length < PAGE_ROWS) break
      after = page.at(-1)!.audit_id
      await letOthersWork(performance.now() - startedAt)
    }
  }
  return 'all'
}

function removeExported(database: Database, budget: RowBudget): Promise<Deleted> {
  const exports = itemsOf((last: ExportedTrail | undefined) =>
    listExports(database, last?.organization_id ?? '', ORGANIZATIONS_AT_ONCE),
  )
  return deleteOfEach(exports, ({ organization_id, through }) =>
    deleteInBatches<{ deleted: number; last: number }>(database, budget, (tx, limit, before) =>
      deleteExported(tx, organization_id, { after: before?.last ?? 0, through, limit }),
    ),
  )
}

/** Yields the items of all pages; `list` returns those after the last item, and an empty page at the end. */
async function* itemsOf<T>(list: (last: T | undefined) => Promise<readonly T[]>): AsyncGenerator<T, void> {
  for (let page = await list(undefined); page.length > 0; page = await list(page.at(-1))) yield* page
}

/**
 * Converts an entry to a line of the file. `number` orders the entries of all organizations and identifies an entry
 * that is in two files.
 */
const toExported = (row: ExportedRow): object => ({
  organizationId: row.organization_id,
  number: row.audit_id,
  at: row.at.toISOString(),
  actor: toActorBody(row.actor_type, row.actor_id, row.actor_token),
  operation: row.operation,
  target: { type: row.target_type, id: row.target_id },
  ...(row.version === null ? {} : { version: row.version }),
  ...(row.changes === null ? {} : { changes: row.changes }),
  ...(row.address === null ? {} : { address: row.address }),
  ...(row.times === null
    ? {}
    : { repeated: { times: row.times, until: row.until!.toISOString(), states: row.states! } }),
})
