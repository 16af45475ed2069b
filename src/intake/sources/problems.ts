import Joi from 'joi'
import { personDataBody } from '../../audience/people/person.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { SourceProblem } from '../../interface/generated/types.js'
import { deleteProblem, listProblemRows, moveProblemToInbox, type ProblemRow } from './problems.store.js'
import { requireSource } from './sources.store.js'

const PAGE = { fallback: 20, max: 100 }

const problemBody = namedObject('SourceProblem', {
  id: Joi.string().required(),
  sourceId: Joi.string().required(),
  at: Joi.string().isoDate().required(),
  item: Joi.string()
    .required()
    .allow(null)
    .description('The item of the delivery, such as `batch[3]`; null for the whole delivery.'),
  reason: Joi.string().required(),
  topic: Joi.string().required().allow(null),
  body: Joi.string().required().allow('').description('The first 64 KiB of the delivery, as text.'),
  bodyBytes: Joi.number().integer().required(),
  answer: personDataBody.required().allow(null).description('The data that a person asked for.'),
})

const toProblemBody = (row: ProblemRow): SourceProblem => ({
  id: row.problem_id,
  sourceId: row.source_id,
  at: row.at.toISOString(),
  item: row.item,
  reason: row.reason,
  topic: row.topic,
  body: Buffer.from(row.body, 'base64').toString('utf8'),
  bodyBytes: row.body_bytes,
  answer: row.answer,
})

/** List what could not be read or applied from a source, latest first. */
export const listSourceProblems = operation({
  operationId: 'listSourceProblems',
  summary: 'List the items of a source that could not be read or applied, latest first, with the reason.',
  description:
    'Use it to find what is missing, and to retry it by hand. Problems are kept for 30 days. Costs one index scan.',
  route: 'GET /sources/{sourceId}/problems',
  permission: 'sources:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Problems per page: 20 by default, 100 at most.'),
    after: afterSchema,
  }),
  success: pageBody<SourceProblem>(problemBody),
  async handle({ params: { sourceId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    await requireSource(database, organizationId, sourceId)
    const rows = Math.min(query.limit, PAGE.max)
    const scope = ['problems', organizationId, sourceId]
    const after = readCursor<[string, string]>(cursorKey, scope, query.after, 'the nextCursor of the previous page')
    const found = await listProblemRows(database, organizationId, sourceId, { after, rows: rows + 1 })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const last = found.length > rows ? page.at(-1) : undefined
    return ok(toPage(cursorKey, scope, page.map(toProblemBody), last && [last.place, last.problem_id]))
  },
})

const shared = {
  permission: 'sources:manage',
  answers: [200, 404],
  success: Joi.object({ id: Joi.string().required() }),
} as const

/** Retry a problem, for example after creating the channel that it names. It becomes a problem again if it fails. */
export const retrySourceProblem = operation({
  ...shared,
  operationId: 'retrySourceProblem',
  summary: 'Apply the delivery of a problem again.',
  description:
    'Use it once the reason is fixed, such as a missing channel. If the delivery fails again, it becomes a problem with a new id. Costs one small transaction.',
  route: 'POST /sources/{sourceId}/problems/{problemId}/retry',
  async handle({ params: { sourceId, problemId }, principal }, context) {
    await changeAudited(context, principal, 'retrySourceProblem', async (tx, record) => {
      const isThere = await moveProblemToInbox(tx, [principal.organizationId, sourceId, problemId])
      if (!isThere) throw new ApiError('problem_not_found')
      await record('sourceProblem', `${sourceId}/${problemId}`)
    })
    return ok({ id: problemId })
  },
})

/** Dismiss a problem: its body is deleted. */
export const dismissSourceProblem = operation({
  ...shared,
  operationId: 'dismissSourceProblem',
  summary: 'Dismiss a problem, and delete it with its body.',
  description: 'Use it for a problem that you have looked at and do not need. Costs one small transaction.',
  route: 'DELETE /sources/{sourceId}/problems/{problemId}',
  async handle({ params: { sourceId, problemId }, principal }, context) {
    await changeAudited(context, principal, 'dismissSourceProblem', async (tx, record) => {
      if (!(await deleteProblem(tx, principal.organizationId, sourceId, problemId))) {
        throw new ApiError('problem_not_found')
      }
      await record('sourceProblem', `${sourceId}/${problemId}`)
    })
    return ok({ id: problemId })
  },
})
