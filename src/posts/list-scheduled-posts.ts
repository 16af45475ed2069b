import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { offsetSchema } from '../http/params.js'
import type { ScheduledPostQuery } from '../interface/posts.js'
import { POST_STATUSES } from './lifecycle.js'
import { requireNamedChannels } from './post-rules.js'
import { scheduledPostBody, toScheduledPostBody } from './scheduled-post.js'
import { listScheduledPostRows } from './scheduled-posts.store.js'

const PAGE = { fallback: 50, max: 200 }

type Query = ScheduledPostQuery & Required<Pick<ScheduledPostQuery, 'limit' | 'offset'>>

/** The posts, soonest scheduledFor first, those without one last, then by id. Idempotent. */
export const listScheduledPosts = operation({
  operationId: 'listScheduledPosts',
  summary: 'List the scheduled posts, soonest first, those without a time last.',
  description:
    'For following posts by status or channel. Pages by offset: a post that changes its time meanwhile may show twice or not at all. Costs one read of the page and of what the offset skips.',
  method: 'GET',
  path: '/scheduled-posts',
  surfaces: ['v1'],
  permission: 'posts:read',
  answers: [200, 400],
  query: Joi.object<Query, true>({
    status: Joi.string()
      .valid(...POST_STATUSES)
      .description('Only posts in this status.'),
    mediumId: Joi.string().description('Only posts on this channel, from GET /channels.'),
    // unsafe: a limit beyond what a number holds exactly is still a larger one, which is clamped.
    limit: Joi.number()
      .unsafe()
      .integer()
      .min(1)
      .default(PAGE.fallback)
      .description('Posts per page: 50 unless said, 200 at most.'),
    offset: offsetSchema.description('Posts to skip.'),
  }),
  success: Joi.array().items(scheduledPostBody),
  async handle({ query: { status, mediumId, limit, offset }, principal, meter }, { database }) {
    const { organizationId } = principal
    if (mediumId !== undefined) await requireNamedChannels(database, organizationId, { [mediumId]: null })
    const filter = { status, channelId: mediumId, limit: Math.min(limit, PAGE.max), offset }
    const rows = await listScheduledPostRows(database, organizationId, filter)
    meter.rows = rows.length
    return ok(rows.map(toScheduledPostBody))
  },
})
