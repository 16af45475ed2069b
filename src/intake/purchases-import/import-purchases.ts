import { readJsonLines } from '../../audience/import/conversation-lines.js'
import { describeFile, fileReportFields, Rejects } from '../../audience/import/file-report.js'
import { applyFacts } from '../../audience/live/apply-facts.js'
import { lockLiveAudience } from '../../audience/live/live-audiences.store.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { openFile, readCsvRecords } from '../../http/read-lines.js'
import { fromCsvCell } from '../../interface/csv.js'
import type { CsvRecord, Numbered } from '../../interface/csv-records.js'
import type { SourceType, ValueFrom } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { letOthersWork } from '../../lib/turns.js'
import type { Json } from '../decoders/values.js'
import type { ExternalId, FoundFact } from '../facts.js'
import { requireSource, statusesOf } from '../sources/sources.store.js'
import { fieldsOfColumns, isContinuation, parsePurchase } from './purchase-line.js'

const REJECTED_LISTED = limit('importRejectsListed')
const BATCH_LINES = { postgres: 500, pglite: 100 } as const
const KINDS: Partial<Record<SourceType, ExternalId['kind']>> = { SHOPIFY: 'shopify', WOOCOMMERCE: 'woocommerce' }

/** Import purchases from before a source was set up, from an export of the shop. Idempotent: an order counts once. */
export const importPurchases = operation({
  operationId: 'importPurchases',
  summary: "Import earlier purchases from NDJSON or a CSV export of the shop's admin.",
  description:
    'Use it for purchases from before the source was set up, which a shop does not send (docs/intake.md). An order that a delivery or an earlier file contains counts once. Good lines are stored in batches while the file arrives; bad ones are reported. Idempotent. Costs one transaction per batch.',
  route: 'POST /sources/{sourceId}/purchases',
  permission: 'audience:write',
  rateLimit: 'imports',
  answers: [200, 400, 404, 408],
  streams: ['application/x-ndjson', 'text/csv'],
  success: namedObject(
    'PurchaseImportReport',
    fileReportFields('Orders.', `The first ${REJECTED_LISTED} rejected lines.`),
  ),
  async handle({ params: { sourceId }, headers, body, principal, meter }, context) {
    const { organizationId } = principal
    const source = await requireSource(context.database, organizationId, sourceId)
    const { type, value_from: valueFrom } = source
    const statuses = statusesOf(source)
    const rejects = new Rejects(REJECTED_LISTED)
    const counts = { received: 0, imported: 0, erased: 0 }
    let batch: FoundFact[] = []
    let lines = 0
    const store = async (): Promise<void> => {
      const erased = lines === 0 ? 0 : await storeBatch(context, { organizationId, sourceId }, batch)
      counts.imported += lines - erased
      counts.erased += erased
      batch = []
      lines = 0
    }
    const { isCsv, chunks, text } = openFile(body, headers['content-type'])
    const records = isCsv ? readColumns(readCsvRecords(chunks, text), valueFrom) : readJsonLines(chunks, text)
    try {
      for await (const record of records) {
        counts.received += 1
        const parsed =
          'reason' in record
            ? record.reason
            : parsePurchase(record.value, { kind: KINDS[type], statuses, now: context.clock.now() })
        if (typeof parsed === 'string') rejects.add(record, parsed)
        else {
          batch.push(...parsed.map((fact) => ({ item: String(record.line), fact })))
          lines += 1
        }
        if (lines === BATCH_LINES[context.database.engine]) await store()
      }
      await store()
    } finally {
      // The rest of the body is still arriving: if it is not read, it blocks the connection and hides our response.
      body.resume()
    }
    meter.rows = counts.imported
    await changeAudited(context, principal, 'importPurchases', async (_tx, record) => {
      await record('source', sourceId, { imported: counts.imported, rejected: rejects.count })
    })
    const rejected = { rejected: rejects.listed, rejectedCount: rejects.count }
    return ok({ ...counts, ...rejected, ...describeFile(text, counts.received) })
  },
})

/** Returns the number of lines left out because they belong to erased people. */
async function storeBatch(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { organizationId, sourceId }: { organizationId: string; sourceId: string },
  facts: readonly FoundFact[],
): Promise<number> {
  const startedAt = performance.now()
  const erased = await database.transaction(async (tx) => {
    const live = await lockLiveAudience(tx, organizationId)
    if (live === undefined) throw new ApiError('source_not_found')
    const leftOut = new Set<string>()
    await applyFacts(tx, { organizationId, sourceId, live, now: new Date(clock.now()), leftOut }, facts)
    return leftOut.size
  })
  await letOthersWork(performance.now() - startedAt)
  return erased
}

/** Yields the records of a CSV by our names. */
async function* readColumns(
  records: AsyncIterable<CsvRecord>,
  valueFrom: ValueFrom,
): AsyncGenerator<Numbered<unknown>> {
  let fields: (string | undefined)[] | undefined
  let before: Json | undefined
  for await (const record of records) {
    if (fields === undefined) {
      if ('reason' in record) throw wrongHeader(record.reason)
      fields = fieldsOfColumns(record.value, valueFrom)
      const lacking = ['orderId', 'amount', 'currency', 'at'].filter((field) => !fields!.includes(field))
      if (lacking.length > 0)
        throw wrongHeader(`${lacking.join(' and ')} ${lacking.length === 1 ? 'is' : 'are'} missing`)
    } else if ('reason' in record) yield record
    else {
      const { value: cells, ...place } = record
      const value = Object.fromEntries(
        fields.flatMap((field, place) => (field === undefined ? [] : [[field, fromCsvCell(cells[place]!)]])),
      )
      if (before !== undefined && isContinuation(value, before)) continue
      if (value.orderId !== '') before = value
      yield { ...place, value }
    }
  }
  if (fields === undefined) throw wrongHeader('the file is empty')
}

const wrongHeader = (reason: string): ApiError =>
  new ApiError('body_malformed', {
    message: `The CSV cannot be read: its first line must name the columns orderId (or Id, Order ID), amount (or Total), currency and at (or Created at). Nothing was imported: ${reason}.`,
  })
