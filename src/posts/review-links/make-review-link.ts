import Joi from 'joi'
import { holdRightsInChannels } from '../../access/hold-rights.js'
import { findOrganization } from '../../access/organizations.store.js'
import { linkFields } from '../../access/people/entry-links.js'
import { foldMail, mailSchema } from '../../access/people/mail-address.js'
import { isMemberMail } from '../../access/people/memberships.store.js'
import { findPerson } from '../../access/people/people.store.js'
import { personNameSchema } from '../../access/people/person.js'
import { countReviewLinks, insertReviewLink, type ReviewLinkRow } from '../../access/review-links/review-links.store.js'
import { requireSessionOf } from '../../access/sessions/own-session.js'
import { recordAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import { utcInstant } from '../../http/params.js'
import type { Needed, Principal } from '../../http/principal.js'
import { reviewPath } from '../../interface/entry-paths.js'
import type { IssuedReviewLink, NewReviewLink } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { recordEvent } from '../../news/events.store.js'
import { checkFourEyes } from '../four-eyes.js'
import { lockScheduledPost } from '../scheduled-posts.store.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

const REVIEW_LINK_MS = 7 * 86_400_000
const LINKS_MAX = limit('reviewLinks')
const LINKS_OF_POST_MAX = limit('reviewLinksPerPost')

/** The fields of a new link, however its holder gets it. */
const newLinkFields = {
  name: personNameSchema.required().description('The recipient, as the history will name them: Anna of the agency.'),
  scheduledPostIds: Joi.array()
    .items(Joi.string())
    .unique()
    .min(1)
    .max(limit('postsPerReviewLink'))
    .required()
    .description('The posts, in the order in which the holder sees them. Posts that are created later are not added.'),
  expiresAt: utcInstant.description('When the link expires; by default after seven days.'),
}

interface Making {
  principal: Principal
  /** Making the link takes this in every channel of the posts; it is checked again in the transaction. */
  permission: Needed
  at: Date
  token: string
  operation: string
  mail: string | null
  /** Checks a locked post that waits. */
  check?: (tx: Queryable, scheduledPostId: string) => Promise<void>
}

/**
 * Makes a link to posts that wait for approval. All of them are locked first, in the order of their ids, as decisions do.
 * Throws wrong_state, post_not_found, expiry_past and review_links_full.
 */
async function makeReviewLink(
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
        message: `The post ${scheduledPostId} is ${status}: a link can only show posts that wait for approval.`,
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

/** Create a link with which a person without an account decides about these posts. Only this response contains it. */
export const createReviewLink = operation({
  operationId: 'createReviewLink',
  summary: 'Create a link with which one person without an account approves or returns posts, one by one.',
  description:
    'Use it for a person outside who has the final say: the history names them and you. The link shows only the posts you name, each for its current round of approval. It works until it expires or is revoked, as long as you may approve; a link to one post works until the post is decided or no longer waits. Under four eyes you need the rights to approve each post. Only this response shows the link. Costs one transaction, which locks every post.',
  route: 'POST /review-links',
  permission: 'posts:approve',
  inChannels: 'checked',
  answers: [201, 400, 403, 404, 409],
  body: namedObject('NewReviewLink', newLinkFields),
  success: namedObject('IssuedReviewLink', { ...reviewLinkFields, ...linkFields }),
  async handle({ body, principal }, { clock, database }) {
    const token = newToken()
    const at = new Date(clock.now())
    const row = await database.transaction((tx) =>
      makeReviewLink(tx, body, {
        ...{ principal, at, token },
        permission: 'posts:approve',
        operation: 'createReviewLink',
        mail: null,
        check: (held, scheduledPostId) => checkFourEyes(held, principal, scheduledPostId, at),
      }),
    )
    return created({ ...toReviewLinkBody(row), token, path: reviewPath(token) } satisfies IssuedReviewLink)
  },
})

/** Send a link by email to a reviewer of the organization. Its maker never sees it. */
export const sendReviewLink = operation({
  operationId: 'sendReviewLink',
  summary: 'Email a review link to an outside person that the organization trusts.',
  description:
    "For members who write but may not approve: the link goes only to an address that an administrator added to the organization's reviewers, so nobody can approve their own posts with it. It works like a link from createReviewLink, as long as the address is a reviewer’s and you may write. The server needs SMTP_URL. Costs one transaction, which locks every post.",
  route: 'POST /review-links/send',
  permission: ['posts:write', 'posts:approve'],
  inChannels: 'checked',
  answers: [201, 400, 403, 404, 409],
  body: namedObject('SentReviewLink', {
    ...newLinkFields,
    mail: mailSchema.required().description('One of the reviewers of the organization.'),
  }),
  success: namedObject('ReviewLink', reviewLinkFields),
  async handle({ body: { mail, ...body }, principal }, { clock, config, database, rateLimits, sealer }) {
    const { organizationId } = principal
    if (config.mail === null) throw new ApiError('mail_off')
    const folded = foldMail(mail)
    const at = new Date(clock.now())
    // Writers must not be able to flood a reviewer's mailbox.
    rateLimits.invitedAddresses.take(rateLimits.invitedAddresses.bucketOf(`${organizationId} ${folded}`), clock.now())
    const token = newToken()
    const row = await database.transaction(async (tx) => {
      const link = await makeReviewLink(tx, body, {
        ...{ principal, at, token },
        permission: ['posts:write', 'posts:approve'],
        operation: 'sendReviewLink',
        mail: folded,
      })
      const organization = await findOrganization(tx, organizationId)
      if (!organization?.reviewers.includes(folded) || (await isMemberMail(tx, organizationId, mail))) {
        throw new ApiError('reviewer_unknown')
      }
      const data = { reviewLinkId: link.link_id }
      await recordEvent(tx, {
        ...{ organizationId, at, data },
        type: 'review_link.sent',
        secret: { sealer, plaintext: token },
      })
      return link
    })
    return created(toReviewLinkBody(row))
  },
})
