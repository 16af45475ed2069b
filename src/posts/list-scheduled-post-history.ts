import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationPostParams } from '../http/params.js'
import type { PostChange } from '../interface/posts.js'
import { type HistoryRow, listHistory } from './history.store.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

const changeBody = Joi.object<PostChange, true>({
  version: Joi.number().integer().required().description("The post's version after the change: its ETag."),
  at: Joi.string().isoDate().required(),
  actor: Joi.string().required().description('`key:<id>`, `operator` or `publisher`.'),
  action: Joi.string().required(),
  fromStatus: Joi.string().description('Absent for a creation.'),
  toStatus: Joi.string().description('Absent for a deletion.'),
  detail: Joi.object().description('What changed, or the reason.'),
})

/** Every change of a post, oldest first; of a deleted one as well. Idempotent. */
export const listScheduledPostHistory = operatorOperation({
  operationId: 'listScheduledPostHistory',
  summary: 'List every change of a post, oldest first, also of a deleted one.',
  method: 'GET',
  path: '/organizations/{organizationId}/scheduled-posts/{scheduledPostId}/history',
  answers: [200, 401, 404, 422],
  params: organizationPostParams,
  success: Joi.array().items(changeBody),
  async handle({ params: { organizationId, scheduledPostId }, meter }, { database }) {
    await requireOrganization(database, organizationId)
    const rows = await listHistory(database, organizationId, scheduledPostId)
    // Only a post older than the history has none.
    if (rows.length === 0) await requireScheduledPost(database, organizationId, scheduledPostId)
    meter.rows = rows.length
    return ok(rows.map(toChangeBody))
  },
})

const toChangeBody = (row: HistoryRow): PostChange => ({
  version: row.version,
  at: row.at.toISOString(),
  actor: row.actor,
  action: row.action,
  fromStatus: row.from_status ?? undefined,
  toStatus: row.to_status ?? undefined,
  detail: row.detail ?? undefined,
})
