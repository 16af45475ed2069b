import Joi from 'joi'
import type { Context } from '../http/context.js'
import { namedObject } from '../http/named.js'
import { utcInstant } from '../http/params.js'
import type { AuditEntry, ExportAuditTrailQuery } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import { createOpaqueNumbers } from '../lib/opaque-numbers.js'
import { actorBody, toActorBody } from './actor.js'
import { findActorNames, findTargetNames } from './actors.store.js'
import { AUDIT_TARGETS, type AuditFilter, type AuditRow, listAuditRows } from './audit.store.js'
import { findValuesBefore } from './audit-before.store.js'

const PAGE_BYTES_MAX = limit('pageBytes')
const ACTOR_CHARS_MAX = 200

export const entryBody = namedObject('AuditEntry', {
  id: Joi.string().required(),
  at: Joi.string().isoDate().required(),
  actor: actorBody.required(),
  operation: Joi.string().required().description('The operationId; of what the publisher does `publishScheduledPost`.'),
  target: namedObject('AuditTarget', {
    type: Joi.string().required(),
    id: Joi.string().required(),
    name: Joi.string().description('What it is called now; absent for what has no name or is deleted.'),
  }).required(),
  changes: Joi.object().description('What changed; never a secret.'),
  before: Joi.object().description('What changed fields were before, as far as earlier entries tell.'),
  address: Joi.string().description('The IP address of the caller, where it was written down.'),
  repeated: namedObject('RepeatedChange', {
    times: Joi.number().integer().required().description('How often the same was done again, after `at`.'),
    until: Joi.string().isoDate().required().description('When it was last done.'),
    states: Joi.array()
      .items(
        namedObject('ChangeState', {
          at: Joi.string().isoDate().required(),
          changes: Joi.object(),
        }),
      )
      .required()
      .description('The different changes since `at`, each once and 20 at most; the last one says how it ended.'),
  }).description(
    'Present where the same caller did the same to the same thing again within the hour: it has no further entry.',
  ),
})

export const auditFilterFields = {
  targetType: Joi.string()
    .valid(...AUDIT_TARGETS)
    .description('Only changes of what is of this type. A filtered page may be empty while mayHaveMore is true.'),
  actor: Joi.string()
    .max(ACTOR_CHARS_MAX)
    .description('Only changes by this actor, such as `user:usr_…` or `publisher`.'),
  operation: Joi.string().max(ACTOR_CHARS_MAX).description('Only changes by this operation, such as `updateKey`.'),
  scheduledPostId: Joi.string().description('Only changes of this post.'),
  from: utcInstant.description('Only changes from this instant on.'),
  to: utcInstant.description('Only changes before this instant.'),
}

export type TrailContext = Pick<Context, 'database' | 'cursorKey'>

/** The numbers of the entries of an organization, as ids and cursors. */
export const numbersOf = ({ cursorKey }: TrailContext, organizationId: string) =>
  createOpaqueNumbers(cursorKey, 'greenroom audit entry', organizationId)

/**
 * Reads a page of the trail with the names of those it names. The entries of all organizations are numbered by one
 * sequence, which keeps their order. An id and a cursor hide the number: they would tell how much others do.
 */
export async function readTrailPage(
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

/** A person who decided by a link has a name in the entry alone, because the link has ended. */
function nameOfOutsider({ actor_type: type, changes }: AuditRow): string | undefined {
  const { outsider } = (changes?.detail ?? {}) as { outsider?: { name: string } }
  return type === 'outsider' ? outsider?.name : undefined
}

type Values = Record<string, unknown> | undefined

/** The entry of a post says itself what its fields were before; see describeValues (posts/describe-changes.ts). */
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
