import Joi from 'joi'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { afterSchema, countedPageBody, readNumber, toCountedPage } from '../http/cursor.js'
import { type Answer, ok, operation, serverOperation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import type { Queries } from '../interface/generated/types.js'
import type { Meter } from '../observability/meter.js'
import { hasAuditTrail, SERVER } from './audit.store.js'
import { findOrganization } from './organizations.store.js'
import { auditFilterFields, entryBody, numbersOf, readTrailPage, type TrailContext } from './trail-page.js'

const PAGE = { fallback: 50, max: 200 }

type Query = Queries['listAuditTrail']

const shared = {
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Entries per page: 50 by default, 200 at most.'),
    after: afterSchema,
    ...auditFilterFields,
  }),
  success: countedPageBody(entryBody),
} as const

/**
 * Every change of anything in the organization, newest first. Idempotent. Operators read the trail of a deleted organization
 * too.
 */
export const listAuditTrail = operation({
  ...shared,
  operationId: 'listAuditTrail',
  route: 'GET /audit',
  summary: 'List who changed what in an organization, newest first.',
  description:
    'For tracing a change back to the person, key or operator that made it. Entries are never changed, and what is repeated within an hour continues one (`repeated`): the trail of a deleted organization stays, for operators. Entries are removed only where AUDIT_KEEP_DAYS is set, after they were exported. Costs one walk of an index, whatever the length of the trail.',
  permission: 'audit:read',
  outlivesOrganization: true,
  answers: [200],
  async handle(call, context) {
    const { organizationId } = call.principal
    const answer = await answerPage(call, context, organizationId)
    if (call.meter.rows === 0 && !(await isKnown(context.database, organizationId))) {
      // The log line of a refusal has no rows.
      call.meter.rows = undefined
      throw new ApiError('organization_not_found')
    }
    return answer
  },
})

/**
 * A deleted organization has nothing but its trail, and a filter may leave a page of that empty: so the trail
 * itself is looked at.
 */
const isKnown = async (database: Queryable, organizationId: string): Promise<boolean> =>
  (await findOrganization(database, organizationId)) !== undefined || (await hasAuditTrail(database, organizationId))

/** The same of the server as a whole: people, links and sessions. */
export const listServerAuditTrail = serverOperation({
  ...shared,
  operationId: 'listServerAuditTrail',
  summary: 'List who changed what of the server as a whole, newest first.',
  description: 'For accounts, owners and sign-in links, which belong to no organization. Costs one walk of an index.',
  route: 'GET /server/audit',
  permission: 'operator',
  answers: [200],
  handle: (call, context) => answerPage(call, context, SERVER),
})

async function answerPage(
  { query, meter }: { query: Query; meter: Meter },
  context: TrailContext,
  organizationId: string,
): Promise<Answer> {
  const numbers = numbersOf(context, organizationId)
  const { after, limit: rows, ...filters } = query
  const before = readNumber(numbers, after)
  const page = { ...filters, before, rows: Math.min(rows, PAGE.max) }
  const { items, next } = await readTrailPage(context, organizationId, page)
  meter.rows = items.length
  return ok(toCountedPage(items, next === undefined ? null : numbers.hide(next)))
}
