import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { Source } from '../../interface/generated/types.js'
import { sourceBody, toSourceBody } from './source.js'
import { listSourceRows, requireSource } from './sources.store.js'

const PAGE = { fallback: 50, max: 200 }

/** Lists the sources of the organization, with what each did last. */
export const listSources = operation({
  operationId: 'listSources',
  summary: 'List the sources of the organization, with what each did last.',
  description:
    'For seeing what comes in, what waits, and what is refused and why. Figures are a few seconds old. Costs one walk of an index.',
  route: 'GET /sources',
  permission: 'sources:read',
  answers: [200],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Sources per page: 50 by default, 200 at most.'),
    after: afterSchema,
  }),
  success: pageBody<Source>(sourceBody),
  async handle({ query, principal: { organizationId }, meter }, { config, clock, database, cursorKey }) {
    const rows = Math.min(query.limit, PAGE.max)
    const scope = ['sources', organizationId]
    const [after] = readCursor<[string]>(cursorKey, scope, query.after, 'the nextCursor of the page before') ?? []
    const found = await listSourceRows(database, organizationId, { after, rows: rows + 1 })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const next = found.length > rows ? [page.at(-1)!.source_id] : undefined
    return ok(
      toPage(
        cursorKey,
        scope,
        page.map((row) => toSourceBody(config, row, clock.now())),
        next,
      ),
    )
  },
})

export const getSource = operation({
  operationId: 'getSource',
  summary: 'Read one source, with what it did last.',
  description: 'For looking whether deliveries arrive after the other side was set up. Costs one look-up.',
  route: 'GET /sources/{sourceId}',
  permission: 'sources:read',
  answers: [200, 404],
  success: sourceBody,
  async handle({ params: { sourceId }, principal: { organizationId } }, { config, clock, database }) {
    return ok(toSourceBody(config, await requireSource(database, organizationId, sourceId), clock.now()))
  },
})
