import { Readable } from 'node:stream'
import Joi from 'joi'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import { afterSchema, countedPageBody, readNumber, toCountedPage } from '../http/cursor.js'
import { namedObject } from '../http/named.js'
import { type Answer, ok, operation, serverOperation } from '../http/operation.js'
import { limitSchema, utcInstant } from '../http/params.js'
import { toCsvRecord } from '../interface/csv.js'
import type { AuditEntry, ExportAuditTrailQuery, Queries } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import { createOpaqueNumbers } from '../lib/opaque-numbers.js'
import { letOthersWork } from '../lib/turns.js'
import type { Meter } from '../observability/meter.js'
import { actorBody, toActorBody } from './actor.js'
import { findActorNames, findTargetNames } from './actors.store.js'
import {
  AUDIT_TARGETS,
  type AuditFilter,
  type AuditRow,
  isKnownOrganization,
  listAuditRows,
  SERVER,
} from './audit.store.js'
import { findValuesBefore } from './audit-before.store.js'

const PAGE_BYTES_MAX = limit('pageBytes')
const ACTOR_CHARS_MAX = 200

const entryBody = namedObject('AuditEntry', {
  id: Joi.string().required(),
  at: Joi.string().isoDate().required(),
  actor: actorBody.required(),
  operation: Joi.string().required().description('The operationId; `publishScheduledPost` for the publisher.'),
  target: namedObject('AuditTarget', {
    type: Joi.string().required(),
    id: Joi.string().required(),
    name: Joi.string().description('The current name. Absent if the target has no name or was deleted.'),
  }).required(),
  changes: Joi.object().description('The changed values, without secrets.'),
  before: Joi.object().description('The previous values of changed fields, if earlier entries have them.'),
  address: Joi.string().description('The IP address of the caller, if it was recorded.'),
  repeated: namedObject('RepeatedChange', {
    times: Joi.number().integer().required().description('How often the change was repeated after `at`.'),
    until: Joi.string().isoDate().required().description('When it was last repeated.'),
    states: Joi.array()
      .items(
        namedObject('ChangeState', {
          at: Joi.string().isoDate().required(),
          changes: Joi.object(),
        }),
      )
      .required()
      .description('The distinct changes since `at`, each once, at most 20. The last one is the final state.'),
  }).description(
    'Present if the same caller repeated the change on the same target within an hour. Repeats have no separate entries.',
  ),
})

const auditFilterFields = {
  targetType: Joi.string()
    .valid(...AUDIT_TARGETS)
    .description('Only changes to targets of this type. A filtered page may be empty while mayHaveMore is true.'),
  actor: Joi.string()
    .max(ACTOR_CHARS_MAX)
    .description('Only changes by this actor, such as `user:usr_…` or `publisher`.'),
  operation: Joi.string().max(ACTOR_CHARS_MAX).description('Only changes by this operation, such as `updateKey`.'),
  scheduledPostId: Joi.string().description('Only changes to this post.'),
  from: utcInstant.description('Only changes from this instant on.'),
  to: utcInstant.description('Only changes before this instant.'),
}

type TrailContext = Pick<Context, 'database' | 'cursorKey'>

/** Converts entry numbers of an organization to ids and cursors. */
const numbersOf = ({ cursorKey }: TrailContext, organizationId: string) =>
  createOpaqueNumbers(cursorKey, 'greenroom audit entry', organizationId)

/**
 * Reads a page of the trail with the names of actors and targets. One sequence numbers the entries of all
 * organizations, which keeps their order. Ids and cursors hide the number, because it would reveal how much other
 * organizations do.
 */
async function readTrailPage(
  context: TrailContext,
  organizationId: string,
  { from, to, ...filters }: ExportAuditTrailQuery & Pick<AuditFilter, 'before' | 'rows'>,
): Promise<{ items: AuditEntry[]; next: number | undefined }> {
  const { database } = context
  const numbers = numbersOf(context, organizationId)
  const { targetType, actor, operation: did, scheduledPostId, before, rows } = filters
  const { entries, next } = await listAuditRows(database, organizationId, {
    ...{ targetType, actor, operation: did, scheduledPostId, before, rows, bytes: PAGE_BYTES_MAX },
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  })
  const actors = entries.map(({ actor_type: type, actor_id: id }) => ({ type, id }))
  const people = entries.flatMap(({ target_type: type, target_id: id }) => (type === 'user' ? { type, id } : []))
  const names = await findActorNames(database, organizationId, [...actors, ...people])
  const targets = await findTargetNames(database, organizationId, entries)
  const valuesBefore = await findValuesBefore(database, organizationId, entries)
  const items = entries.map((row) =>
    toAuditBody(numbers.hide(row.audit_id), row, {
      actor: names.get(`${row.actor_type}:${row.actor_id}`) ?? nameOfOutsider(row),
      target: (row.target_type === 'user' ? names : targets).get(`${row.target_type}:${row.target_id}`),
      before: valuesBefore.get(row.audit_id),
    }),
  )
  return { items, next }
}

/** A person who decided with a review link has a name only in the entry, because the link has ended. */
function nameOfOutsider({ actor_type: type, changes }: AuditRow): string | undefined {
  const { outsider } = (changes?.detail ?? {}) as { outsider?: { name: string } }
  return type === 'outsider' ? outsider?.name : undefined
}

type Values = Record<string, unknown> | undefined

/** The entry of a post contains the previous values itself; see describeValues (posts/describe-changes.ts). */
function splitChanges({ target_type: type, changes }: AuditRow): { changes: Values; before?: Values } {
  if (changes === null) return { changes: undefined }
  if (type !== 'scheduledPost') return { changes }
  const { before, ...rest } = changes
  return { changes: rest, ...(before !== undefined && { before: before as Values }) }
}

const toAuditBody = (
  id: string,
  row: AuditRow,
  { actor, target, before: found }: { actor: string | undefined; target: string | undefined; before: Values },
): AuditEntry => {
  const { changes, before = found } = splitChanges(row)
  return {
    id,
    at: row.at.toISOString(),
    actor: {
      ...toActorBody(row.actor_type, row.actor_id, row.actor_token),
      ...(actor === undefined ? {} : { name: actor }),
    },
    operation: row.operation,
    target: { type: row.target_type, id: row.target_id, ...(target === undefined ? {} : { name: target }) },
    changes,
    ...(before === undefined ? {} : { before }),
    ...(row.address === null ? {} : { address: row.address }),
    ...(row.times === null
      ? {}
      : { repeated: { times: row.times, until: row.until!.toISOString(), states: row.states! } }),
  }
}

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

export const listAuditTrail = operation({
  ...shared,
  operationId: 'listAuditTrail',
  route: 'GET /audit',
  summary: 'List who changed what in an organization, newest first.',
  description:
    'For tracing a change back to the person, key or operator that made it. Entries never change, except that a repeat within an hour continues its entry (`repeated`). The trail of a deleted organization stays available to operators. Entries are removed only if AUDIT_KEEP_DAYS is set, after they were exported. Idempotent. Costs one index scan, whatever the length of the trail.',
  permission: 'audit:read',
  outlivesOrganization: true,
  async handle(call, context) {
    const { organizationId } = call.principal
    const answer = await answerPage(call, context, organizationId)
    if (call.meter.rows === 0 && !(await isKnownOrganization(context.database, organizationId))) {
      // The log line of a refusal reports no rows.
      call.meter.rows = undefined
      throw new ApiError('organization_not_found')
    }
    return answer
  },
})

export const listServerAuditTrail = serverOperation({
  ...shared,
  operationId: 'listServerAuditTrail',
  summary: 'List who changed what on the server as a whole, newest first.',
  description:
    'For accounts, owners and sign-in links, which do not belong to an organization. Idempotent. Costs one index scan.',
  route: 'GET /server/audit',
  permission: 'operator',
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

const COLUMNS = ['at', 'actor', 'name', 'operation', 'type', 'id', 'target', 'before', 'changes', 'times', 'address']
const PAGE_ROWS = 200

export const exportAuditTrail = operation({
  operationId: 'exportAuditTrail',
  summary: 'Export who changed what in the organization as CSV, newest first.',
  description:
    'For an auditor or a spreadsheet. Streams the filtered trail page by page, while other requests are answered. A response that breaks off is incomplete. Costs one index scan.',
  route: 'GET /audit/export',
  permission: 'audit:read',
  query: Joi.object(auditFilterFields),
  success: Joi.string().description('A header and one record per entry.'),
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
