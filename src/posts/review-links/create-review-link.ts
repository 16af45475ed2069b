import { linkFields } from '../../access/people/entry-links.js'
import { reviewPath } from '../../access/review-links/review-paths.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import type { IssuedReviewLink } from '../../interface/generated/types.js'
import { newToken } from '../../lib/tokens.js'
import { checkFourEyes } from '../four-eyes.js'
import { makeReviewLink, newLinkFields } from './make-link.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

/** Make a link by which a person without an account decides about these posts. Only this answer has it. */
export const createReviewLink = operation({
  operationId: 'createReviewLink',
  summary: 'Make a link by which one person without an account approves or returns posts, one by one.',
  description:
    'For the person outside whose word counts: the history names them, and you. The link is to the posts that you name and to no later one, each for its present round of approval. It works until it expires or is revoked, as long as you may approve; a link to one post works until the post is decided about or no longer waits. Under four eyes it takes what approving each of them takes. The link is shown in this answer and never again. Costs one transaction, which locks every post.',
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
