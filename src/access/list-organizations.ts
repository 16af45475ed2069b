import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { ok, serverOperation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { listOrganizationRows, type OrganizationPosition } from './organizations.store.js'

const PAGE_ROWS_MAX = 1_000
const SCOPE = ['listOrganizations']

/** List the organizations, oldest first. Idempotent. */
export const listOrganizations = serverOperation({
  operationId: 'listOrganizations',
  summary: 'List the organizations, oldest first.',
  description:
    'For finding the id of an organization. A page has 1,000 at most: go on until nextCursor is null. Costs one walk of an index.',
  route: 'GET /organizations',
  permission: 'operator',
  answers: [200],
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Organizations per page: 1,000 by default and at most.'),
    after: afterSchema,
  }),
  success: pageBody(organizationBody),
  async handle({ query, meter }, { database, cursorKey }) {
    const { organizations, next } = await listOrganizationRows(database, {
      after: readCursor<OrganizationPosition>(cursorKey, SCOPE, query.after, 'the nextCursor of a page before'),
      rows: Math.min(query.limit, PAGE_ROWS_MAX),
    })
    meter.rows = organizations.length
    return ok(toPage(cursorKey, SCOPE, organizations.map(toOrganizationBody), next))
  },
})
