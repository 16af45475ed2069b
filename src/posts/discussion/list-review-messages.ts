import Joi from 'joi'
import type { Context } from '../../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { type Answer, type Call, ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { Queries } from '../../interface/generated/types.js'
import { linkedPostParams, requireOpenLinkedPost } from '../review-links/linked-posts.js'
import { requireLinkedPost } from '../review-links/review-link.js'
import { listMessages } from './discussion.store.js'
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './page.js'
import { reviewMessageBody, toReviewMessages } from './review-message.js'

type Query = Queries['listReviewMessages']

const shared = {
  method: 'GET',
  surfaces: ['review'],
  permission: 'review',
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Messages per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(reviewMessageBody),
} as const

/** The messages that members have shared with people who hold a link to the post. Idempotent. */
export const listReviewMessages = operation({
  ...shared,
  operationId: 'listReviewMessages',
  summary: 'List the messages about the post of a link that are shared with its holder, oldest first.',
  description:
    'For the page that the link opens. What members say among themselves is in no part of the answer. Costs two reads of the page.',
  path: '/discussion',
  answers: [200],
  handle: (call, context) => answerMessages(call, context, requireLinkedPost(call.principal)),
})

/** The same about one post of a link to several. Idempotent. */
export const listMessagesForReview = operation({
  ...shared,
  operationId: 'listMessagesForReview',
  summary: 'List the messages about one post of a link to several that are shared with its holder, oldest first.',
  description:
    'For the card of a post that the holder may decide about; after the decision it is refused. What members say among themselves is in no part of the answer. Costs one small read, and two of the page.',
  path: '/posts/{number}/discussion',
  answers: [200, 400, 404],
  params: linkedPostParams,
  handle: async (call, context) => answerMessages(call, context, await requireOpenLinkedPost(call, context.database)),
})

async function answerMessages(
  { query, principal, meter }: Pick<Call<unknown, Query>, 'query' | 'principal' | 'meter'>,
  { database, cursorKey }: Context,
  scheduledPostId: string,
): Promise<Answer> {
  const { organizationId } = principal
  const scope = ['listReviewMessages', organizationId, scheduledPostId]
  const must = 'the nextCursor of an answer for the same post'
  const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
  const page = { after, rows: Math.min(query.limit, PAGE_ROWS_MAX), bytes: PAGE_BYTES_MAX, sharedOnly: true }
  const { messages, next } = await listMessages(database, { organizationId, scheduledPostId }, page)
  meter.rows = messages.length
  const items = await toReviewMessages(database, principal, messages)
  return ok(toPage(cursorKey, scope, items, next === undefined ? undefined : [next]))
}
