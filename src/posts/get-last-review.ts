import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import type { LastReview, Review } from '../interface/generated/types.js'
import { findReview, type ReviewRow } from './reviews.store.js'
import { contentFields } from './scheduled-post.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

const reviewBody = namedObject('Review', {
  decision: Joi.string().valid('approved', 'rejected').required(),
  version: Joi.number().integer().required().description('The version that was decided about.'),
  at: Joi.string().isoDate().required(),
  content: namedObject('ReviewedContent', contentFields).required(),
})

/** The content of a post when it was last approved or returned. Idempotent. */
export const getLastReview = operation({
  operationId: 'getLastReview',
  summary: 'Read what a post said when it was last approved or rejected.',
  description:
    'For the difference to what it says now. `review` is null for a post about which no one has decided, or not since this is kept. Costs two reads.',
  route: 'GET /scheduled-posts/{scheduledPostId}/last-review',
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('LastReview', { review: reviewBody.allow(null).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId } }, { database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const row = await findReview(database, organizationId, scheduledPostId)
    return ok({ review: row === undefined ? null : toReviewBody(row) } satisfies LastReview)
  },
})

const toReviewBody = ({ decision, version, decided_at, content }: ReviewRow): Review => ({
  decision,
  version,
  at: decided_at.toISOString(),
  content,
})
