import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { listMessages } from './discussion.store.js'
import { messageBody, toMessageBodies } from './message.js'
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './page.js'

/** The discussion of a post in the order in which it was written. Idempotent. */
export const listDiscussionMessages = operation({
  operationId: 'listDiscussionMessages',
  summary: 'List the messages of the discussion of a post, oldest first.',
  description:
    'For reading what was said about a post. A message without `replyTo` begins a thread, which is open until `resolvedAt` is there. People who comment under the published post are elsewhere: see its comments. Costs two reads of the page.',
  route: 'GET /scheduled-posts/{scheduledPostId}/discussion',
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Messages per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(messageBody),
  async handle({ params: { scheduledPostId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    const scope = ['listDiscussionMessages', organizationId, scheduledPostId]
    const must = 'the nextCursor of an answer for the same post'
    const [after = 0] = readCursor<[number]>(cursorKey, scope, query.after, must) ?? []
    const key = { organizationId, scheduledPostId }
    const page = { after, rows: Math.min(query.limit, PAGE_ROWS_MAX), bytes: PAGE_BYTES_MAX, sharedOnly: false }
    const { messages, next } = await listMessages(database, key, page)
    if (messages.length === 0) await requireScheduledPost(database, organizationId, scheduledPostId)
    meter.rows = messages.length
    const items = await toMessageBodies(database, organizationId, messages)
    return ok(toPage(cursorKey, scope, items, next === undefined ? undefined : [next]))
  },
})
