import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { DiscussionQuery } from '../../interface/discussion.js'
import { requireLinkedPost } from '../review-links/review-link.js'
import { listMessages } from './discussion.store.js'
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './page.js'
import { reviewMessageBody, toReviewMessages } from './review-message.js'

/** The messages that members have shared with people who hold a link to the post. Idempotent. */
export const listReviewMessages = operation({
  operationId: 'listReviewMessages',
  summary: 'List the messages about the post of a link that are shared with its holder, oldest first.',
  description:
    'For the page that the link opens. What members say among themselves is in no part of the answer. Costs two reads of the page.',
  method: 'GET',
  path: '/discussion',
  surfaces: ['review'],
  permission: 'review',
  answers: [200],
  query: Joi.object<DiscussionQuery & { limit: number }, true>({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Messages per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(reviewMessageBody),
  async handle({ query, principal, meter }, { database, cursorKey }) {
    const { organizationId } = principal
    const scheduledPostId = requireLinkedPost(principal)
    const scope = ['listReviewMessages', organizationId, scheduledPostId]
    const must = 'the nextCursor of an answer for the same link'
    const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
    const page = { after, rows: Math.min(query.limit, PAGE_ROWS_MAX), bytes: PAGE_BYTES_MAX, sharedOnly: true }
    const { messages, next } = await listMessages(database, { organizationId, scheduledPostId }, page)
    meter.rows = messages.length
    const items = await toReviewMessages(database, principal, messages)
    return ok(toPage(cursorKey, scope, items, next === undefined ? undefined : [next]))
  },
})
