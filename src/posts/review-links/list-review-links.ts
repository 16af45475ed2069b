import Joi from 'joi'
import { listReviewLinkRows } from '../../access/review-links/review-links.store.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { scheduledPostParams } from '../scheduled-post.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

/** The links to a post that work. Idempotent. */
export const listReviewLinks = operation({
  operationId: 'listReviewLinks',
  summary: 'List the links to a post that work, newest first.',
  description: 'For who asks whose word is awaited. Tokens are not among it. Costs two small reads.',
  method: 'GET',
  path: '/scheduled-posts/{scheduledPostId}/review-links',
  surfaces: ['api'],
  permission: 'posts:read',
  answers: [200, 404],
  params: scheduledPostParams,
  success: Joi.array().items(namedObject('ReviewLink', reviewLinkFields)),
  async handle({ params: { scheduledPostId }, principal: { organizationId } }, { clock, database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const rows = await listReviewLinkRows(database, organizationId, scheduledPostId, new Date(clock.now()))
    return ok(rows.map(toReviewLinkBody))
  },
})
