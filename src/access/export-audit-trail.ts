import { Readable } from 'node:stream'
import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { toCsvRecord } from '../interface/csv.js'
import { letOthersWork } from '../lib/turns.js'
import { auditFilterFields, readTrailPage } from './trail-page.js'

const COLUMNS = ['at', 'actor', 'name', 'operation', 'type', 'id', 'target', 'before', 'changes', 'times', 'address']
const PAGE_ROWS = 200

/** The filtered trail as a table, of any length. */
export const exportAuditTrail = operation({
  operationId: 'exportAuditTrail',
  summary: 'Export who changed what in the organization as CSV, newest first.',
  description:
    'For an auditor, or a spreadsheet: what the filters leave of the trail, page by page as it is read. Requests are answered meanwhile. An answer that ends early is not whole. Costs one walk of an index.',
  route: 'GET /audit/export',
  permission: 'audit:read',
  answers: [200],
  query: Joi.object(auditFilterFields),
  success: Joi.string().description('A header, and a record for each entry.'),
  successType: 'text/csv',
  async handle({ query, principal: { organizationId }, meter }, context) {
    async function* records(): AsyncGenerator<string> {
      meter.rows = 0
      yield toCsvRecord(COLUMNS)
      for (let before: number | undefined; ; ) {
        const startedAt = performance.now()
        const { items, next } = await readTrailPage(context, organizationId, { ...query, before, rows: PAGE_ROWS })
        meter.rows += items.length
        yield items
          .map(({ at, actor, operation: did, target, changes, before: was, repeated, address }) =>
            toCsvRecord([
              ...[at, actor.id === undefined ? actor.type : `${actor.type}:${actor.id}`, actor.name, did],
              ...[target.type, target.id, target.name, was, changes, 1 + (repeated?.times ?? 0), address],
            ]),
          )
          .join('')
        if (next === undefined) return
        before = next
        await letOthersWork(performance.now() - startedAt)
      }
    }
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="activity.csv"',
    }
    return ok(Readable.from(records(), { objectMode: false }), headers)
  },
})
