import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { PostChange } from '../interface/posts.js'
import { type HistoryRow, listHistory } from './history.store.js'
import { scheduledPostParams } from './scheduled-post.js'
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
export const listScheduledPostHistory = operation({
  operationId: 'listScheduledPostHistory',
  summary: 'List every change of a post, oldest first, also of a deleted one.',
  description:
    'For who changed what and when, and for the true reason of a failure on each channel. A view of the audit trail. Costs one read.',
  method: 'GET',
  path: '/scheduled-posts/{scheduledPostId}/history',
  surfaces: ['operator'],
  permission: 'posts:read',
  answers: [200, 404],
  params: scheduledPostParams,
  success: Joi.array().items(changeBody),
  async handle({ params: { scheduledPostId }, principal: { organizationId }, meter }, { database }) {
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
