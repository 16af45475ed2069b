import { recordAudit } from '../../access/audit.store.js'
import { holdRightsInChannels } from '../../access/hold-rights.js'
import { linkFields } from '../../access/people/invitation.js'
import { findPerson } from '../../access/people/people.store.js'
import { personNameSchema } from '../../access/people/person.js'
import { insertReviewLink } from '../../access/review-links/review-links.store.js'
import { reviewPath } from '../../access/review-links/review-paths.js'
import { requireSessionOf } from '../../access/sessions/own-session.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import { utcInstant } from '../../http/params.js'
import type { IssuedReviewLink } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { checkFourEyes } from '../four-eyes.js'
import { scheduledPostParams } from '../scheduled-post.js'
import { lockScheduledPost } from '../scheduled-posts.store.js'
import { REVIEW_LINK_MS, reviewLinkFields, toReviewLinkBody } from './review-link.js'

const LINKS_MAX = limit('reviewLinksPerPost')

/** Make a link by which one who has no account approves or returns this post. It is in this answer and in no other. */
export const createReviewLink = operation({
  operationId: 'createReviewLink',
  summary: 'Make a link by which one person without an account approves or returns a post.',
  description:
    'For the one outside whose word counts: the history names them, and you. It works until the post is decided about or no longer waits, until it expires or is revoked, and as long as you may approve. Under four eyes it takes what approving takes. The link is shown in this answer and never again. Costs one small transaction.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/review-links',
  surfaces: ['api'],
  permission: 'posts:approve',
  inChannels: 'checked',
  answers: [201, 400, 403, 404, 409],
  params: scheduledPostParams,
  body: namedObject('NewReviewLink', {
    name: personNameSchema.required().description('Whom it is for, as the history will name them: Anna of the agency.'),
    expiresAt: utcInstant.description('From then on it is refused; in seven days unless said.'),
  }),
  success: namedObject('IssuedReviewLink', { ...reviewLinkFields, ...linkFields }),
  async handle({ params: { scheduledPostId }, body, principal }, { clock, database }) {
    const { organizationId } = principal
    const { personId } = requireSessionOf(principal)
    const at = new Date(clock.now())
    const expiresAt = body.expiresAt === undefined ? new Date(at.getTime() + REVIEW_LINK_MS) : new Date(body.expiresAt)
    if (expiresAt <= at) throw new ApiError('expiry_past')
    const token = newToken()
    const link = {
      organization_id: organizationId,
      link_id: newId('lnk'),
      token_hash: hashToken(token),
      scheduled_post_id: scheduledPostId,
      name: body.name,
      mail: null,
      made_by: personId,
      created_at: at,
      expires_at: expiresAt,
    }
    const maker = await database.transaction(async (tx) => {
      const checkChannels = await holdRightsInChannels(tx, principal, 'posts:approve')
      const post = await lockScheduledPost(tx, organizationId, scheduledPostId)
      checkChannels(post.channels)
      if (post.status !== 'WAITING_FOR_APPROVAL') {
        throw new ApiError('wrong_state', {
          message: `The post is ${post.status}: only one that waits for approval has links.`,
        })
      }
      await checkFourEyes(tx, principal, scheduledPostId, at)
      if ((await insertReviewLink(tx, link)) > LINKS_MAX) throw new ApiError('review_links_full')
      await recordAudit(tx, {
        principal,
        at,
        operation: 'createReviewLink',
        target: { type: 'reviewLink', id: link.link_id },
        changes: { scheduledPostId, name: link.name, expiresAt: expiresAt.toISOString() },
      })
      return await findPerson(tx, personId)
    })
    const row = { ...link, maker_name: maker?.name ?? '' }
    return created({ ...toReviewLinkBody(row), token, path: reviewPath(token) } satisfies IssuedReviewLink)
  },
})
