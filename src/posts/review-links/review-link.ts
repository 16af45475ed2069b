import Joi from 'joi'
import type { ReviewLinkRow } from '../../access/review-links/review-links.store.js'
import { ApiError } from '../../errors.js'
import type { Call } from '../../http/operation.js'
import type { Principal, ReviewLinkGrant } from '../../http/principal.js'
import type { ReviewLink } from '../../interface/reviews.js'
import type { Target } from '../change-post.js'

export const REVIEW_LINK_MS = 7 * 86_400_000

/** The console reads the token from the fragment, which no server, log or Referer sees. */
export const reviewPath = (token: string): string => `/review#link=${token}`

export const reviewLinkFields = {
  id: Joi.string().required(),
  name: Joi.string().required().description('Whom it is for.'),
  madeBy: Joi.string().required().description('The name of the person who made it.'),
  createdAt: Joi.string().isoDate().required(),
  expiresAt: Joi.string().isoDate().required(),
}

export const toReviewLinkBody = (row: ReviewLinkRow & { maker_name: string }): ReviewLink => ({
  id: row.link_id,
  name: row.name,
  madeBy: row.maker_name,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})

/** The link that lets the caller in. Throws link_token_wrong for another kind of caller. */
export function requireGrant({ link }: Principal): ReviewLinkGrant {
  if (link === undefined) throw new ApiError('link_token_wrong')
  return link
}

/** The one post that the link is to, whatever the caller sends. */
export const toLinkedTarget = ({ principal, headers }: Pick<Call, 'principal' | 'headers'>): Target => ({
  principal,
  scheduledPostId: requireGrant(principal).scheduledPostId,
  ifMatch: headers['if-match'],
})
