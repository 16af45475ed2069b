import Joi from 'joi'
import { recordAudit } from '../../access/audit.store.js'
import { holdRightsInChannels } from '../../access/hold-rights.js'
import { findPerson } from '../../access/people/people.store.js'
import { personNameSchema } from '../../access/people/person.js'
import { countReviewLinks, insertReviewLink, type ReviewLinkRow } from '../../access/review-links/review-links.store.js'
import { requireSessionOf } from '../../access/sessions/own-session.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { utcInstant } from '../../http/params.js'
import type { Needed, Principal } from '../../http/principal.js'
import type { NewReviewLink } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { hashToken } from '../../lib/tokens.js'
import { lockScheduledPost } from '../scheduled-posts.store.js'

const REVIEW_LINK_MS = 7 * 86_400_000
const LINKS_MAX = limit('reviewLinks')
const LINKS_OF_POST_MAX = limit('reviewLinksPerPost')

/** The fields of a new link, however it reaches its holder. */
export const newLinkFields = {
  name: personNameSchema.required().description('Whom it is for, as the history will name them: Anna of the agency.'),
  scheduledPostIds: Joi.array()
    .items(Joi.string())
    .unique()
    .min(1)
    .max(limit('postsPerReviewLink'))
    .required()
    .description('The posts, in the order in which the holder sees them. The link is to these, whatever comes later.'),
  expiresAt: utcInstant.description('From then on it is refused; seven days from now by default.'),
}

interface Making {
  principal: Principal
  /** Making the link takes it in every channel of the posts: it is checked once more in the transaction. */
  permission: Needed
  at: Date
  token: string
  operation: string
  mail: string | null
  /** Checks a locked post that waits. */
  check?: (tx: Queryable, scheduledPostId: string) => Promise<void>
}

/**
 * Makes a link to posts that wait for approval. All are locked before, in the order of their ids, as by decisions. Throws
 * wrong_state, post_not_found, expiry_past and review_links_full.
 */
export async function makeReviewLink(
  tx: Queryable,
  { name, scheduledPostIds, expiresAt: until }: NewReviewLink,
  { principal, permission, at, token, operation, mail, check }: Making,
): Promise<ReviewLinkRow & { maker_name: string }> {
  const { organizationId } = principal
  const { personId } = requireSessionOf(principal)
  const expiresAt = until === undefined ? new Date(at.getTime() + REVIEW_LINK_MS) : new Date(until)
  if (expiresAt <= at) throw new ApiError('expiry_past')
  const checkChannels = await holdRightsInChannels(tx, principal, permission)
  for (const scheduledPostId of scheduledPostIds.toSorted()) {
    const { status, channels } = await lockScheduledPost(tx, organizationId, scheduledPostId)
    checkChannels(channels)
    if (status !== 'WAITING_FOR_APPROVAL') {
      throw new ApiError('wrong_state', {
        message: `The post ${scheduledPostId} is ${status}: a link is to posts that wait for approval.`,
      })
    }
    await check?.(tx, scheduledPostId)
  }
  const { of_organization: many, of_post } = await countReviewLinks(tx, organizationId, scheduledPostIds, at)
  if (of_post >= LINKS_OF_POST_MAX) throw new ApiError('review_links_full')
  if (many >= LINKS_MAX) {
    throw new ApiError('review_links_full', { message: `The organization has ${LINKS_MAX} links: revoke one first.` })
  }
  const link = {
    organization_id: organizationId,
    link_id: newId('lnk'),
    token_hash: hashToken(token),
    ...{ name, mail },
    made_by: personId,
    created_at: at,
    expires_at: expiresAt,
  }
  await insertReviewLink(tx, link, scheduledPostIds)
  await recordAudit(tx, {
    principal,
    at,
    operation,
    target: { type: 'reviewLink', id: link.link_id },
    changes: { scheduledPostIds, name, ...(mail !== null && { mail }), expiresAt: expiresAt.toISOString() },
  })
  const maker = await findPerson(tx, personId)
  return { ...link, maker_name: maker?.name ?? '' }
}
