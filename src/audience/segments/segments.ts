import Joi from 'joi'
import { lockOrganization } from '../../access/organizations.store.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, okList, operation } from '../../http/operation.js'
import { nameSchema } from '../../http/params.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { conditionsSchema, segmentBody, toSegmentBody } from './segment.js'
import {
  countSegments,
  deleteSegmentRow,
  findSegment,
  insertSegment,
  listSegmentRows,
  updateSegmentRow,
} from './segments.store.js'

const SEGMENTS_MAX = limit('segments')

const shared = { permission: 'audience:mark' } as const

/** List the segments of the organization, by name. Idempotent. */
export const listSegments = operation({
  operationId: 'listSegments',
  summary: 'List the saved segments of the audience by name.',
  description: 'Use it to find the segmentId for GET /audience. Costs one small read.',
  route: 'GET /segments',
  permission: 'audience:read',
  answers: [200],
  success: Joi.array().items(segmentBody),
  async handle({ principal: { organizationId }, meter }, { database }) {
    return okList(meter, await listSegmentRows(database, organizationId), toSegmentBody)
  },
})

/** Save a segment: a name for people who have something in common. */
export const createSegment = operation({
  ...shared,
  operationId: 'createSegment',
  summary: 'Save a segment of the audience: a name and its conditions.',
  description:
    'Use it for a group of people that you look at often. The conditions are evaluated at each read. At most 50 per organization. Not idempotent. Costs one small transaction.',
  route: 'POST /segments',
  answers: [201, 409],
  body: namedObject('NewSegment', { name: nameSchema.required(), conditions: conditionsSchema.required() }),
  success: segmentBody,
  async handle({ body: { name, conditions }, principal }, context) {
    const { organizationId } = principal
    const row = { segment_id: newId('seg'), name, conditions, created_at: new Date(context.clock.now()) }
    await changeAudited(context, principal, 'createSegment', async (tx, record) => {
      // Two simultaneous calls could both find one free place.
      await lockOrganization(tx, organizationId)
      if ((await countSegments(tx, organizationId)) >= SEGMENTS_MAX) throw new ApiError('segments_full')
      await insertSegment(tx, organizationId, row)
      await record('segment', row.segment_id, { name, conditions })
    })
    return created(toSegmentBody(row))
  },
})

/** Change the name or the conditions of a segment. Idempotent. */
export const updateSegment = operation({
  ...shared,
  operationId: 'updateSegment',
  summary: 'Rename a segment, or change its conditions.',
  description: 'The conditions in the request replace all previous ones. Idempotent. Costs one small transaction.',
  route: 'PATCH /segments/{segmentId}',
  answers: [200, 404],
  body: named('SegmentPatch', Joi.object({ name: nameSchema, conditions: conditionsSchema }).min(1)),
  success: segmentBody,
  async handle({ params: { segmentId }, body, principal }, context) {
    const row = await changeAudited(context, principal, 'updateSegment', async (tx, record) => {
      const changed = await updateSegmentRow(tx, principal.organizationId, segmentId, body)
      await record('segment', segmentId, { ...body })
      return changed
    })
    return ok(toSegmentBody(row))
  },
})

/** Delete a segment; the people stay. */
export const deleteSegment = operation({
  ...shared,
  operationId: 'deleteSegment',
  summary: 'Delete a segment. The people in it stay as they are.',
  description: 'Use it for a segment that is no longer used. Costs one small transaction.',
  route: 'DELETE /segments/{segmentId}',
  answers: [200, 404],
  success: namedObject('DeletedSegment', { id: Joi.string().required() }),
  async handle({ params: { segmentId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteSegment', async (tx, record) => {
      const { name } = await findSegment(tx, organizationId, segmentId)
      if (!(await deleteSegmentRow(tx, organizationId, segmentId))) throw new ApiError('segment_not_found')
      await record('segment', segmentId, { name })
    })
    return ok({ id: segmentId })
  },
})
