import type { Readable } from 'node:stream'
import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { readCsvRecords } from '../../audience/import/csv-records.js'
import { type Numbered, splitLines } from '../../audience/import/split-lines.js'
import { applyFacts } from '../../audience/live/apply-facts.js'
import { lockLiveAudience } from '../../audience/live/live-audiences.store.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { ok, operation } from '../../http/operation.js'
import { readAtLeast } from '../../http/read-body.js'
import type { RejectedLine } from '../../interface/audience.js'
import type { PurchaseImportReport, SourceType, ValueFrom } from '../../interface/intake.js'
import { limit } from '../../lib/limits.js'
import { letOthersWork } from '../../lib/turns.js'
import type { Json } from '../decoders/values.js'
import type { FoundFact, OutsideId } from '../facts.js'
import { sourceParams } from '../sources/source.js'
import { requireSource } from '../sources/sources.store.js'
import { fieldsOfColumns, isContinuation, parsePurchase } from './purchase-line.js'

const REJECTED_LISTED = limit('importRejectsListed')
const BATCH_LINES = { postgres: 500, pglite: 100 } as const
const KINDS: Partial<Record<SourceType, OutsideId['kind']>> = { SHOPIFY: 'shopify', WOOCOMMERCE: 'woocommerce' }

/** Import the purchases of before a source was set up, from an export of the shop. Idempotent: an order counts once. */
export const importPurchases = operation({
  operationId: 'importPurchases',
  summary: "Import the purchases of before a source was set up, from NDJSON or a CSV of the shop's admin.",
  description:
    'For the history that a shop does not send by itself (docs/intake.md). An order that a delivery has told of, or a file before, counts once. Good lines land in batches while the file arrives, bad ones are reported. Idempotent. Costs one transaction a batch.',
  method: 'POST',
  path: '/sources/{sourceId}/purchases',
  surfaces: ['operator', 'console'],
  permission: 'audience:write',
  rateLimit: 'imports',
  answers: [200, 400, 404, 408],
  params: sourceParams,
  streams: ['application/x-ndjson', 'text/csv'],
  success: Joi.object<PurchaseImportReport, true>({
    received: Joi.number().integer().required().description('Orders.'),
    imported: Joi.number().integer().required(),
    erased: Joi.number().integer().required().description('Orders of erased people: left out until readmitted.'),
    rejected: Joi.array()
      .items(
        Joi.object<RejectedLine, true>({
          line: Joi.number().integer().required(),
          lastLine: Joi.number().integer().description('Where a record of a CSV spans several lines.'),
          reason: Joi.string().required(),
        }),
      )
      .required()
      .description(`The first ${REJECTED_LISTED}.`),
    rejectedCount: Joi.number().integer().required(),
  }),
  async handle({ params: { sourceId }, headers, body, principal, meter }, context) {
    const { organizationId } = principal
    const { type, value_from: valueFrom } = await requireSource(context.database, organizationId, sourceId)
    const report: PurchaseImportReport = {
      ...{ received: 0, imported: 0, erased: 0, rejected: [], rejectedCount: 0 },
    }
    const reject = (line: RejectedLine): void => {
      report.rejectedCount += 1
      if (report.rejected.length < REJECTED_LISTED) report.rejected.push(line)
    }
    let batch: FoundFact[] = []
    let lines = 0
    const land = async (): Promise<void> => {
      const erased = lines === 0 ? 0 : await landBatch(context, { organizationId, sourceId }, batch)
      report.imported += lines - erased
      report.erased += erased
      batch = []
      lines = 0
    }
    try {
      for await (const record of readLines(body, headers['content-type'], valueFrom)) {
        report.received += 1
        const parsed =
          'reason' in record
            ? record.reason
            : parsePurchase(record.value, { kind: KINDS[type], now: context.clock.now() })
        if (typeof parsed === 'string') reject({ ...placeOf(record), reason: parsed })
        else {
          batch.push(...parsed.map((fact) => ({ item: String(record.line), fact })))
          lines += 1
        }
        if (lines === BATCH_LINES[context.database.engine]) await land()
      }
      await land()
    } finally {
      // The rest of the body is still on its way: unread it would hold up the connection and hide our answer.
      body.resume()
    }
    meter.rows = report.imported
    await changeAudited(context, principal, 'importPurchases', async (_tx, record) => {
      await record('source', sourceId, { imported: report.imported, rejected: report.rejectedCount })
    })
    return ok(report)
  },
})

const placeOf = ({ line, lastLine }: { line: number; lastLine?: number }) => ({
  line,
  ...(lastLine !== undefined && { lastLine }),
})

/** Gives the number of lines that were left out, because they are of erased people. */
async function landBatch(
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

/** The lines of NDJSON, or the records of a CSV by our names. */
async function* readLines(
  body: Readable,
  contentType: string | undefined,
  valueFrom: ValueFrom,
): AsyncGenerator<Numbered<unknown>> {
  // Not destroyed when we stop early: the connection carries our answer.
  const lines = splitLines(readAtLeast(body.iterator({ destroyOnReturn: false })))
  if (contentType?.toLowerCase().startsWith('text/csv')) yield* readColumns(readCsvRecords(lines), valueFrom)
  else yield* readObjects(lines)
}

async function* readObjects(lines: AsyncIterable<Numbered<string>>): AsyncGenerator<Numbered<unknown>> {
  for await (const line of lines) {
    if ('reason' in line) yield line
    else if (line.value.trim() !== '') {
      let value: unknown
      try {
        value = JSON.parse(line.value)
      } catch {
        yield { line: line.line, reason: 'The line is not valid JSON: write one whole object per line.' }
        continue
      }
      yield { line: line.line, value }
    }
  }
}

async function* readColumns(
  records: AsyncIterable<Numbered<string[]>>,
  valueFrom: ValueFrom,
): AsyncGenerator<Numbered<unknown>> {
  let fields: (string | undefined)[] | undefined
  let before: Json | undefined
  for await (const record of records) {
    if (fields === undefined) {
      fields = 'reason' in record ? [] : fieldsOfColumns(record.value, valueFrom)
      if (!fields.includes('orderId') || !fields.includes('amount')) {
        throw new ApiError('body_malformed', {
          message:
            'The first line of the CSV must name the columns: orderId (or Id, Order ID), amount (or Total), currency and at (or Created at).',
        })
      }
    } else if ('reason' in record) yield record
    else {
      const cells = record.value
      const value = Object.fromEntries(
        fields.flatMap((field, place) => (field === undefined ? [] : [[field, cells[place] ?? '']])),
      )
      if (isContinuation(value, before)) continue
      before = value
      yield { ...placeOf(record), value }
    }
  }
}
