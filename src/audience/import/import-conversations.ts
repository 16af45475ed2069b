import Joi, { type ObjectSchema } from 'joi'
import { recordAudit } from '../../audit/audit.store.js'
import { requireChannel } from '../../channels/channels.store.js'
import { requireVipChannel } from '../../channels/require-vip.js'
import { DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import { isForWantOfRoom } from '../../database/writes.js'
import { ApiError, DATABASE_RETRY_SECONDS } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { isAllHere } from '../../http/read-body.js'
import { openFile } from '../../http/read-lines.js'
import type { Numbered } from '../../interface/csv-records.js'
import type { PurchaseImportReport as FileReport, ImportConversationsQuery } from '../../interface/generated/types.js'
import type { TextLines } from '../../interface/text-lines.js'
import { limit } from '../../lib/limits.js'
import { recordEvent } from '../../news/events.store.js'
import type { ConversationRow } from '../fields.js'
import { parseConversation } from './conversation-line.js'
import { type ColumnMap, readCsv, readNdjson } from './conversation-lines.js'
import { describeFile, fileReportFields, Rejects } from './file-report.js'
import { type Counts, countRows } from './import-rows.js'
import { storeImport } from './store-import.js'

const REJECTED_LISTED = limit('importRejectsListed')
const REJECTED_LISTED_MAX = limit('importRejectsAsked')

/** The validated query, with parsed columns. */
type Query = Pick<ImportConversationsQuery, 'workspaceId' | 'dryRun'> & { columns?: ColumnMap; rejects: number }

/**
 * Import the conversations of a channel from NDJSON or CSV of any size (see ConversationLine). Valid lines are stored in
 * batches while the file arrives; invalid ones are reported. Idempotent: after an interrupted import, send the file again.
 */
export const importConversations = operation({
  operationId: 'importConversations',
  summary: 'Import conversations from NDJSON or CSV of any size; valid lines are stored and invalid ones reported.',
  description:
    'Use it to fill a channel from a CRM export, and to keep it current: a field that a line does not name keeps its value. Lines of erased people are skipped and counted. Each channel runs one import at a time. Idempotent. Costs one transaction per batch; the server answers other requests between batches.',
  route: 'POST /channels/{channelId}/conversations',
  permission: 'audience:write',
  rateLimit: 'imports',
  answers: [200, 400, 404, 408, 409],
  query: Joi.object({
    workspaceId: Joi.string().description('The VIP workspace for the field `vip`; required if a line has that field.'),
    dryRun: Joi.string()
      .valid('true', 'false')
      .description('`true`: checks and counts every line as an import would, and changes nothing.'),
    columns: Joi.string()
      .custom((text: string, { error }) => parseColumnMap(text) ?? error('string.columnMap'))
      .messages({
        'string.columnMap': '{{#label}} must be a JSON object that maps the name of each column to a field',
      })
      .description(
        'A JSON object that maps columns of a CSV, or names in NDJSON, to fields if their names differ, such as `{"Customer":"cuid","Notes":""}`; an empty field ignores the column.',
      ),
    rejects: Joi.number()
      .integer()
      .min(1)
      .max(REJECTED_LISTED_MAX)
      .default(REJECTED_LISTED)
      .description(
        `The number of rejected lines to list: ${REJECTED_LISTED} by default, at most ${REJECTED_LISTED_MAX}.`,
      ),
  }) as ObjectSchema<Query>,
  streams: ['application/x-ndjson', 'text/csv'],
  success: namedObject('ImportReport', {
    ...fileReportFields(
      'Lines in the file, without blank ones and the header of a CSV.',
      `The first ${REJECTED_LISTED} rejected lines, or as many as \`rejects\` asks for.`,
    ),
    created: Joi.number()
      .integer()
      .description('In a dry run, the lines of conversations that are not on the channel yet.'),
    dryRun: Joi.boolean().valid(true).description('Present if nothing was changed.'),
  }),
  async handle({ params: { channelId }, query, headers, body, principal, meter }, { database, clock, metrics }) {
    const { organizationId } = principal
    const { workspaceId, dryRun, columns } = query
    if (workspaceId === undefined) await requireChannel(database, organizationId, channelId)
    else await requireVipChannel(database, organizationId, workspaceId, channelId)

    const marksVips = workspaceId !== undefined
    const rejects = new Rejects(query.rejects)
    const { isCsv, chunks, text } = openFile(body, headers['content-type'])
    const records = isCsv ? readCsv(chunks, text, marksVips, columns) : readNdjson(chunks, text, columns)
    const rows = keepSoundRows(records, marksVips, rejects)
    let imported = 0
    let erased = 0
    // One entry when the first lines are stored and one at the end: an interrupted import has only the first.
    const audit = (tx: Queryable, changes: Record<string, unknown>): Promise<void> =>
      recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'importConversations',
        target: { type: 'channel', id: channelId },
        changes,
      })
    try {
      if (dryRun === 'true') {
        const counts = await countRows(database, { organizationId, channelId }, rows)
        return ok({ ...reportOf(counts, rejects, text), created: counts.created, dryRun: true as const })
      }
      const target = { organizationId, channelId, workspaceId, at: new Date(clock.now()), actor: principal.actor }
      await storeImport(
        database,
        target,
        { rows, isAllHere: isAllHere(body) },
        {
          begin: (tx) => audit(tx, { state: 'begun', workspaceId }),
          async end(tx, counts) {
            const report = { ...counts, rejected: rejects.count }
            if (counts.imported + counts.erased > 0) await audit(tx, { state: 'ended', ...report })
            const data = { channelId, ...report }
            await recordEvent(tx, { organizationId, type: 'import.finished', at: new Date(clock.now()), data })
          },
          onStored(stored, leftOut) {
            metrics.countImportRows('imported', stored)
            metrics.countImportRows('erased', leftOut)
            imported += stored
            erased += leftOut
            meter.rows = imported
          },
        },
      )
    } catch (error) {
      throw toImportError(error, imported)
    } finally {
      if (dryRun !== 'true') metrics.countImportRows('rejected', rejects.count)
      // The rest of the body is still arriving: if it is not read, it blocks the connection and hides our response.
      body.resume()
    }
    return ok(reportOf({ imported, erased }, rejects, text))
  },
})

/** Returns the error of an interrupted import, which says how many lines were stored. */
function toImportError(error: unknown, imported: number): unknown {
  if (error instanceof ApiError && imported > 0) {
    return new ApiError(error.code, { message: `After ${imported} lines were imported: ${error.message}` })
  }
  if (!(error instanceof DatabaseUnavailableError)) return error
  if (isForWantOfRoom(error)) {
    const kept = imported === 0 ? 'No line was imported' : `The first ${imported} lines were imported and stay`
    return new ApiError('disk_full', {
      message: `The server's disk is full. ${kept}: ask its operator to free space, then send the same file again.`,
      cause: error,
      retryAfterSeconds: DATABASE_RETRY_SECONDS,
    })
  }
  return new ApiError('database_unavailable', {
    message: `The database became unreachable after ${imported} lines were imported: send the same file again later.`,
    cause: error,
    retryAfterSeconds: DATABASE_RETRY_SECONDS,
  })
}

function reportOf({ imported, erased }: Counts, rejects: Rejects, text: TextLines): FileReport {
  const received = imported + erased + rejects.count
  return {
    ...{ received, imported, erased, rejected: rejects.listed, rejectedCount: rejects.count },
    ...describeFile(text, received),
  }
}

function parseColumnMap(text: string): ColumnMap | undefined {
  let map: unknown
  try {
    map = JSON.parse(text)
  } catch {
    return undefined
  }
  if (map === null || typeof map !== 'object' || Array.isArray(map)) return undefined
  return Object.values(map).every((name) => typeof name === 'string') ? (map as ColumnMap) : undefined
}

async function* keepSoundRows(
  records: AsyncIterable<Numbered<unknown>>,
  marksVips: boolean,
  rejects: Rejects,
): AsyncGenerator<ConversationRow> {
  for await (const record of records) {
    const row = 'reason' in record ? record.reason : parseConversation(record.value, marksVips)
    if (typeof row === 'string') rejects.add(record, row)
    else yield row
  }
}
