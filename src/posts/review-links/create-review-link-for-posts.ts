import { linkFields } from '../../access/people/invitation.js'
import { reviewPostsPath } from '../../access/review-links/review-paths.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import type { IssuedReviewLink } from '../../interface/generated/types.js'
import { newToken } from '../../lib/tokens.js'
import { checkFourEyes } from '../four-eyes.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'
import { makeLinkToSeveral, newLinkFields } from './several-posts.js'

/** Make a link by which one who has no account decides about these posts, one by one. It is in this answer alone. */
export const createReviewLinkForPosts = operation({
  operationId: 'createReviewLinkForPosts',
  summary: 'Make a link by which one person without an account approves or returns several posts, one by one.',
  description:
    'For the one outside whose word counts on a whole week: the history names them, and you. The link is to the posts that you name and to no later one, each for its present round of approval. It works until it expires or is revoked, and as long as you may approve. Under four eyes it takes what approving each of them takes. The link is shown in this answer and never again. Costs one transaction, which locks every post.',
  method: 'POST',
  path: '/review-links',
  surfaces: ['api'],
  permission: 'posts:approve',
  inChannels: 'checked',
  answers: [201, 400, 403, 404, 409],
  body: namedObject('NewSeveralReviewLink', newLinkFields),
  success: namedObject('IssuedReviewLink', { ...reviewLinkFields, ...linkFields }),
  async handle({ body, principal }, { clock, database }) {
    const token = newToken()
    const at = new Date(clock.now())
    const row = await database.transaction((tx) =>
      makeLinkToSeveral(tx, body, {
        ...{ principal, at, token },
        permission: 'posts:approve',
        operation: 'createReviewLinkForPosts',
        mail: null,
        check: (held, scheduledPostId) => checkFourEyes(held, principal, scheduledPostId, at),
      }),
    )
    return created({ ...toReviewLinkBody(row), token, path: reviewPostsPath(token) } satisfies IssuedReviewLink)
  },
})
