import Joi from 'joi'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import { afterSchema, countedPageBody, readNumber, toCountedPage } from '../http/cursor.js'
import { type Answer, ok, operation, serverOperation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import type { AuditEntry, AuditQuery } from '../interface/access.js'
import { limit } from '../lib/limits.js'
import { createOpaqueNumbers } from '../lib/opaque-numbers.js'
import type { Meter } from '../observability/meter.js'
import { actorBody, toActorBody } from './actor.js'
import { findActorNames } from './actors.store.js'
import { AUDIT_TARGETS, type AuditRow, hasAuditTrail, listAuditRows, SERVER } from './audit.store.js'
import { findOrganization } from './organizations.store.js'

const PAGE = { fallback: 50, max: 200 }
const PAGE_BYTES_MAX = limit('pageBytes')
const ACTOR_CHARS_MAX = 200

type Query = AuditQuery & { limit: number }

const entryBody = Joi.object<AuditEntry, true>({
  id: Joi.string().required(),
  at: Joi.string().isoDate().required(),
  actor: actorBody.required(),
  operation: Joi.string().required().description('The operationId; of what the publisher does `publishScheduledPost`.'),
  target: Joi.object<AuditEntry['target'], true>({
    type: Joi.string().required(),
    id: Joi.string().required(),
  }).required(),
  changes: Joi.object().description('What changed; never a secret.'),
  repeated: Joi.object<NonNullable<AuditEntry['repeated']>, true>({
    times: Joi.number().integer().required().description('How often the same was done again, after `at`.'),
    until: Joi.string().isoDate().required().description('When it was last done.'),
    states: Joi.array()
      .items(
        Joi.object<NonNullable<AuditEntry['repeated']>['states'][number], true>({
          at: Joi.string().isoDate().required(),
          changes: Joi.object(),
        }),
      )
      .required()
      .description('The different changes since `at`, each once and 20 at most; the last one says how it ended.'),
  }).description(
    'Present where the same caller did the same to the same thing again within the hour: it has no further entry.',
  ),
}).label('AuditEntry')

const shared = {
  method: 'GET',
  permission: 'audit:read',
  answers: [200, 404],
  query: Joi.object<Query, true>({
    limit: limitSchema.default(PAGE.fallback).description('Entries per page: 50 unless said, 200 at most.'),
    after: afterSchema,
    targetType: Joi.string()
      .valid(...AUDIT_TARGETS)
      .description('Only changes of what is of this type. A filtered page may be empty while mayHaveMore is true.'),
    actor: Joi.string()
      .max(ACTOR_CHARS_MAX)
      .description('Only changes by this actor, such as `user:usr_…` or `publisher`.'),
  }),
  success: countedPageBody(entryBody),
} as const

/**
 * Every change of anything in the organization, newest first. Idempotent. On the server as a whole, so that the
 * trail of a deleted organization can be read too.
 */
export const listAuditTrail = serverOperation({
  ...shared,
  operationId: 'listAuditTrail',
  summary: 'List who changed what in an organization, newest first.',
  description:
    'For tracing a change back to the key or operator that made it. Entries are never changed, and what is repeated within an hour continues one (`repeated`): the trail of a deleted organization stays. They are removed only where AUDIT_KEEP_DAYS is set, after they were exported. Costs one walk of an index, whatever the length of the trail.',
  path: '/organizations/{organizationId}/audit',
  surfaces: ['operator'],
  params: Joi.object<{ organizationId: string }, true>({ organizationId: Joi.string().required() }),
  async handle(call, context) {
    const { organizationId } = call.params
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

/** The same for the people of the organization. */
export const listOwnAuditTrail = operation({
  ...shared,
  operationId: 'listOwnAuditTrail',
  summary: 'List who changed what in the organization, newest first.',
  description: 'For tracing a change back to the person, key or operator that made it. Costs one walk of an index.',
  path: '/audit',
  surfaces: ['console'],
  handle: (call, context) => answerPage(call, context, call.principal.organizationId),
})

/** The same of the server as a whole: people, links and sessions. */
export const listServerAuditTrail = serverOperation({
  ...shared,
  operationId: 'listServerAuditTrail',
  summary: 'List who changed what of the server as a whole, newest first.',
  description: 'For accounts, owners and sign-in links, which belong to no organization. Costs one walk of an index.',
  path: '/audit',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  answers: [200],
  handle: (call, context) => answerPage(call, context, SERVER),
})

/**
 * The entries of all organizations are numbered by one sequence, which keeps their order. An id and a cursor hide
 * the number: they would tell how much others do.
 */
async function answerPage(
  { query, meter }: { query: Query; meter: Meter },
  { database, cursorKey }: Pick<Context, 'database' | 'cursorKey'>,
  organizationId: string,
): Promise<Answer> {
  const numbers = createOpaqueNumbers(cursorKey, 'greenroom audit entry', organizationId)
  const { entries, next } = await listAuditRows(database, organizationId, {
    before: readNumber(numbers, query.after),
    targetType: query.targetType,
    actor: query.actor,
    rows: Math.min(query.limit, PAGE.max),
    bytes: PAGE_BYTES_MAX,
  })
  const actors = entries.map(({ actor_type: type, actor_id: id }) => ({ type, id }))
  const names = await findActorNames(database, organizationId, actors)
  const items = entries.map((row) =>
    toAuditBody(numbers.hide(row.audit_id), row, names.get(`${row.actor_type}:${row.actor_id}`) ?? nameOfOutsider(row)),
  )
  meter.rows = items.length
  return ok(toCountedPage(items, next === undefined ? null : numbers.hide(next)))
}

/** A person who decided by a link has a name in the entry alone, because the link has ended. */
function nameOfOutsider({ actor_type: type, changes }: AuditRow): string | undefined {
  const { outsider } = (changes?.detail ?? {}) as { outsider?: { name: string } }
  return type === 'outsider' ? outsider?.name : undefined
}

const toAuditBody = (id: string, row: AuditRow, name: string | undefined): AuditEntry => ({
  id,
  at: row.at.toISOString(),
  actor: { ...toActorBody(row.actor_type, row.actor_id), ...(name === undefined ? {} : { name }) },
  operation: row.operation,
  target: { type: row.target_type, id: row.target_id },
  changes: row.changes ?? undefined,
  ...(row.times === null
    ? {}
    : { repeated: { times: row.times, until: row.until!.toISOString(), states: row.states! } }),
})
