import Joi from 'joi'
import { channelTypeSchema } from '../../channels/channel.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema, oneOf } from '../../http/params.js'
import type { CalendarPost } from '../../interface/generated/types.js'
import { POST_STATUSES } from '../../interface/post-status.js'
import { WAIT_REASONS, type WaitReason } from '../../interface/post-waits.js'
import { limit } from '../../lib/limits.js'
import { toEtag } from '../etag.js'
import { postFilters, readFilter, searchSchema } from '../post-filters.js'
import type { PostPosition } from '../post-list.store.js'
import { currentReasons } from '../waits.js'
import { type CalendarPostRow, listCalendarPostRows } from './calendar.store.js'

const POSTS_MAX = 1_000
const PAGE_BYTES_MAX = limit('pageBytes')

/** List the posts of a calendar. A month of many posts is one small response. Idempotent. */
export const listCalendarPosts = operation({
  operationId: 'listCalendarPosts',
  summary: 'List the scheduled posts for a calendar, soonest first; posts without a time come last.',
  description:
    'Use it to show a month and to move posts: each entry has the beginning of a text, the picture, the channels, and the ETag for a change. The order, the filters and the cursor match the list of posts. Costs one index scan from the cursor, and one read of the page. With `text`, each call examines up to 2,000 posts, so a page can be empty while more follow.',
  route: 'GET /calendar-posts',
  permission: 'posts:read',
  answers: [200, 400],
  query: Joi.object({
    ...postFilters,
    text: searchSchema,
    limit: limitSchema.default(POSTS_MAX).description('Posts per page: 1,000 by default and at most.'),
    after: afterSchema.description('The nextCursor of the previous page, with the same filters.'),
  }),
  success: pageBody<CalendarPost>(
    namedObject('CalendarPost', {
      id: Joi.string().required(),
      etag: Joi.string().required().description('The version of the post, for If-Match.'),
      status: oneOf(POST_STATUSES).required(),
      scheduledFor: Joi.string().isoDate(),
      media: Joi.string(),
      mediaType: Joi.string(),
      text: Joi.string().allow('').required().description('The beginning of the first text of the post.'),
      channels: Joi.array()
        .items(
          namedObject('CalendarPostChannel', {
            id: Joi.string().required(),
            type: channelTypeSchema.required(),
            name: Joi.string().allow('').required(),
          }),
        )
        .required(),
      openMessages: Joi.number()
        .integer()
        .description('The number of unresolved threads in its discussion; absent if there are none.'),
      waitsFor: oneOf(WAIT_REASONS).description(
        'Why the post is late, from two minutes after its time; absent if it is not.',
      ),
    }),
  ),
  async handle({ query, principal: { organizationId }, meter }, { clock, database, cursorKey }) {
    const { limit: rows, after: cursor, ...asked } = query
    const { status, mediumId, scheduledFrom, scheduledBefore, text } = asked
    const filters = [status, mediumId, scheduledFrom, scheduledBefore, text].map((value) => value ?? null)
    const scope = ['listCalendarPosts', organizationId, ...filters]
    const after = readCursor<PostPosition>(
      cursorKey,
      scope,
      cursor,
      'the nextCursor of a response with the same filters',
    )
    const filter = await readFilter(database, organizationId, asked)
    const found = await listCalendarPostRows(database, organizationId, {
      ...filter,
      after,
      rows: Math.min(rows, POSTS_MAX),
      now: new Date(clock.now()),
    })
    const reasons = await currentReasons(
      database,
      found.posts.map(({ wait_reason }) => wait_reason),
    )
    const items = takeBytes(found.posts.map((post, index) => toCalendarPost(post, reasons[index])))
    meter.rows = items.length
    const last = found.posts[items.length - 1]
    const mayHaveMore = found.mayHaveMore || items.length < found.posts.length
    return ok(toPage(cursorKey, scope, items, mayHaveMore ? [last!.position_time, last!.scheduled_post_id] : found.end))
  },
})

/** Takes as many items from the front as fit into a response, but at least one. */
function takeBytes(items: CalendarPost[]): CalendarPost[] {
  let bytes = 0
  const over = items.findIndex((item, index) => {
    bytes += JSON.stringify(item).length
    return index > 0 && bytes > PAGE_BYTES_MAX
  })
  return over === -1 ? items : items.slice(0, over)
}

const toCalendarPost = (row: CalendarPostRow, waitsFor: WaitReason | undefined): CalendarPost => ({
  id: row.scheduled_post_id,
  etag: toEtag(row),
  status: row.status,
  scheduledFor: row.scheduled_for?.toISOString(),
  media: row.media ?? undefined,
  mediaType: row.media_type ?? undefined,
  text: row.text ?? '',
  channels: row.channels ?? [],
  ...(row.open_messages > 0 && { openMessages: row.open_messages }),
  ...(waitsFor && { waitsFor }),
})
