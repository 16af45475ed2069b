import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import { ApiError } from '../errors.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { created, ok, operation, serverOperation } from '../http/operation.js'
import { currencySchema, limitSchema, nameSchema, oneOf } from '../http/params.js'
import { requirePermission, textOfActor } from '../http/principal.js'
import { AUTOMATION_MODES } from '../interface/automation.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { languageSchema, MAIL_LANGUAGE, organizationBody, timeZoneSchema, toOrganizationBody } from './organization.js'
import {
  insertOrganization,
  listOrganizationRows,
  type OrganizationPosition,
  updateOrganizationRow,
} from './organizations.store.js'
import { isSameMail, mailSchema } from './people/mail-address.js'

export const createOrganization = serverOperation({
  operationId: 'createOrganization',
  summary: 'Create an organization.',
  description:
    'The first step of a new tenant: keys, workspaces, channels and ad accounts belong to an organization. Not idempotent: each call creates one. Costs one small transaction.',
  route: 'POST /organizations',
  permission: 'operator',
  answers: [201, 400],
  body: namedObject('NewOrganization', { name: nameSchema.required() }),
  success: organizationBody,
  async handle({ body: { name }, principal: { actor } }, context) {
    const organizationId = newId('org')
    const principal = { organizationId, actor }
    const row = await changeAudited(context, principal, 'createOrganization', async (tx, record, createdAt) => {
      const inserted = await insertOrganization(tx, { organizationId, name, createdAt })
      await record('organization', organizationId, { name })
      return inserted
    })
    return created(toOrganizationBody(row))
  },
})

const PAGE_ROWS_MAX = 1_000
const SCOPE = ['listOrganizations']

export const listOrganizations = serverOperation({
  operationId: 'listOrganizations',
  summary: 'List the organizations, oldest first.',
  description:
    'For finding the id of an organization. A page has at most 1,000: continue until nextCursor is null. Idempotent. Costs one index scan.',
  route: 'GET /organizations',
  permission: 'operator',
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Organizations per page: 1,000 by default and at most.'),
    after: afterSchema,
  }),
  success: pageBody(organizationBody),
  async handle({ query, meter }, { database, cursorKey }) {
    const { organizations, next } = await listOrganizationRows(database, {
      after: readCursor<OrganizationPosition>(cursorKey, SCOPE, query.after, 'the nextCursor of the previous page'),
      rows: Math.min(query.limit, PAGE_ROWS_MAX),
    })
    meter.rows = organizations.length
    return ok(toPage(cursorKey, SCOPE, organizations.map(toOrganizationBody), next))
  },
})

export const updateOrganization = operation({
  operationId: 'updateOrganization',
  summary:
    'Rename, activate or deactivate an organization; require four eyes or a second factor; set its time zone, language and currency.',
  description:
    'Deactivating an organization answers each of its keys with 402 at once, on every node, and deletes nothing; changing `active` needs the permission `operator`. `requireSecondFactor` keeps out people whose session has passed no second factor, from now on; keys keep working. Idempotent. Costs one small transaction.',
  route: 'PATCH ',
  permission: 'settings:write',
  answers: [200, 400, 403, 404, 409],
  body: named(
    'OrganizationPatch',
    Joi.object({
      name: nameSchema,
      active: Joi.boolean().description('Whether its keys are accepted and its posts are published. Needs `operator`.'),
      fourEyes: Joi.boolean().description('If true, people cannot approve posts that they created or changed.'),
      requireSecondFactor: Joi.boolean().description('Whether people need a session with a second factor.'),
      automation: oneOf(AUTOMATION_MODES).description(
        'The most that superpowers may do on any channel: `off`, `shadow` (a dry run) or `on`. Needs automation:manage.',
      ),
      reviewers: Joi.array()
        .items(mailSchema)
        // Joi compares items before it validates each one.
        .unique(
          (one: unknown, other: unknown) =>
            typeof one === 'string' && typeof other === 'string' && isSameMail(one, other),
        )
        .max(limit('reviewers'))
        .description(
          'Replaces the list of people outside to whom writers may send review links. Links to a removed address are refused at once. An address that you add cannot approve your own posts for an hour.',
        ),
      timeZone: timeZoneSchema.description('The IANA name of its time zone, such as `Europe/Paris`.'),
      language: languageSchema.description(MAIL_LANGUAGE),
      currency: currencySchema
        .allow(null)
        .description(
          'The ISO 4217 currency of lifetime values. Only purchases in this currency count, and a change recomputes the values shortly after. `null` for none: then no purchases count.',
        ),
    }).min(1),
  ),
  success: organizationBody,
  async handle({ body, principal }, context) {
    const { actor, organizationId } = principal
    if (body.active !== undefined)
      requirePermission(principal, 'operator', 'Activating or deactivating an organization')
    if (body.automation !== undefined) requirePermission(principal, 'automation:manage', 'Changing what superpowers do')
    // Otherwise a person without a second factor, or a program with their token, could lock everyone out and not undo
    // it.
    if (body.requireSecondFactor && actor.type === 'user' && !principal.secondFactor) {
      throw new ApiError('second_factor_missing')
    }
    const row = await changeAudited(context, principal, 'updateOrganization', async (tx, record, at) => {
      const updated = await updateOrganizationRow(tx, organizationId, body, { by: textOfActor(actor), at })
      await record('organization', organizationId, { ...body })
      return updated
    })
    return ok(toOrganizationBody(row))
  },
})
