import Joi from 'joi'
import { findActorNames } from '../audit/actors.store.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import type { PostChange } from '../interface/generated/types.js'
import { POST_STATUSES } from '../interface/post-status.js'
import { limit } from '../lib/limits.js'
import { type HistoryRow, listHistory, OPERATIONS } from './history.store.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

const PAGE_ROWS_MAX = 200
const PAGE_BYTES_MAX = limit('pageBytes')

const postStatus = Joi.string().valid(...POST_STATUSES)

const changeBody = namedObject('PostChange', {
  version: Joi.number().integer().required().description('The version of the post after the change: its ETag.'),
  at: Joi.string().isoDate().required(),
  actor: Joi.string()
    .required()
    .description(
      '`key:<id>`, `user:<id>`, `operator`, `operator:<name>`, `publisher` or `outsider:<linkId>`, which `detail.outsider` names.',
    ),
  actorName: Joi.string().description(
    'The current name of the person or key; absent for a person whose account was deleted.',
  ),
  action: named('PostAction', Joi.string().valid(...Object.keys(OPERATIONS))).required(),
  fromStatus: postStatus.description('Absent if the post was created.'),
  toStatus: postStatus.description('Absent if the post was deleted.'),
  detail: Joi.object().description('What changed, or the reason.'),
})

/** List the changes of a post, oldest first, page by page; also for a deleted post. Idempotent. */
export const listScheduledPostHistory = operation({
  operationId: 'listScheduledPostHistory',
  summary: 'List the changes of a post, oldest first, even if it is deleted.',
  description:
    'Use it to see who changed what and when, and why publishing failed on each channel. It is a view of the audit trail. If one caller changes the same fields repeatedly, only 20 changes an hour are recorded, and `version` skips the rest. Costs one read of the page.',
  route: 'GET /scheduled-posts/{scheduledPostId}/history',
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Changes per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(changeBody),
  async handle({ params: { scheduledPostId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    const scope = ['listScheduledPostHistory', organizationId, scheduledPostId]
    const must = 'the nextCursor of a response for the same post'
    const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
    const { changes, mayHaveMore } = await listHistory(database, organizationId, scheduledPostId, {
      after,
      rows: Math.min(query.limit, PAGE_ROWS_MAX),
      bytes: PAGE_BYTES_MAX,
    })
    // Only a post older than the history has no changes.
    if (changes.length === 0 && after === 0) await requireScheduledPost(database, organizationId, scheduledPostId)
    meter.rows = changes.length
    const names = await findActorNames(database, organizationId, changes.map(toStoredActor))
    const items = changes.map((row) => toChangeBody(row, names.get(row.actor)))
    return ok(toPage(cursorKey, scope, items, mayHaveMore ? [changes.at(-1)!.version] : undefined))
  },
})

function toStoredActor({ actor }: HistoryRow): { type: string; id: string | null } {
  const [type = '', ...rest] = actor.split(':')
  return { type, id: rest.length === 0 ? null : rest.join(':') }
}

const toChangeBody = (row: HistoryRow, actorName: string | undefined): PostChange => ({
  version: row.version,
  at: row.at.toISOString(),
  actor: row.actor,
  ...(actorName === undefined ? {} : { actorName }),
  action: row.action,
  fromStatus: row.from_status ?? undefined,
  toStatus: row.to_status ?? undefined,
  detail: row.detail ?? undefined,
})
