import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import { linkedPostParams, requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { byLink } from '../review-links/review-link.js'
import { listMessages } from './discussion.store.js'
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './page.js'
import { reviewMessageBody, toReviewMessages } from './review-message.js'

/** The messages about one post of a link that members have shared with people outside. Idempotent. */
export const listMessagesForReview = operation({
  ...byLink,
  operationId: 'listMessagesForReview',
  summary: 'List the messages about one post of a link that are shared with its holder, oldest first.',
  description:
    'For a post that the holder may decide about; after the decision it is refused. What members say among themselves is in no part of the answer. Costs one small read, and two of the page.',
  route: 'GET /posts/{number}/discussion',
  answers: [200, 400, 404],
  params: linkedPostParams,
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Messages per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(reviewMessageBody),
  async handle(call, { database, cursorKey }) {
    const { query, principal, meter } = call
    const { organizationId } = principal
    const scheduledPostId = await requireOpenLinkedPost(call, database)
    const scope = ['listMessagesForReview', organizationId, scheduledPostId]
    const must = 'the nextCursor of an answer for the same post'
    const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
    const page = { after, rows: Math.min(query.limit, PAGE_ROWS_MAX), bytes: PAGE_BYTES_MAX, sharedOnly: true }
    const { messages, next } = await listMessages(database, { organizationId, scheduledPostId }, page)
    meter.rows = messages.length
    const items = await toReviewMessages(database, principal, messages)
    return ok(toPage(cursorKey, scope, items, next === undefined ? undefined : [next]))
  },
})
