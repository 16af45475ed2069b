import Joi from 'joi'
import { listLinkedPosts } from '../../access/review-links/linked-posts.store.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { LinkToOpen } from '../../interface/generated/types.js'
import { byLink, linkHeadFields, requireGrant, toLinkHead } from './review-link.js'

/** Says for whom a link is, and by whom. Idempotent. */
export const readReviewLink = operation({
  ...byLink,
  operationId: 'readReviewLink',
  summary: 'Read for whom a link to posts is, by whom, and until when it works.',
  description:
    'For the page that the link opens, before its button is clicked: the posts are not read, and the link does not count as opened. Costs two small reads.',
  route: 'GET /link',
  answers: [200],
  success: namedObject('LinkToOpen', {
    ...linkHeadFields,
    posts: Joi.number().integer().required().description('How many posts the link has.'),
  }),
  async handle({ principal }, { database }) {
    const link = requireGrant(principal)
    const posts = await listLinkedPosts(database, principal.organizationId, link.id)
    return ok({ ...toLinkHead(link), posts: posts.length } satisfies LinkToOpen)
  },
})
