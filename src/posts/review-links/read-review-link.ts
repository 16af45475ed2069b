import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { linkHeadFields, requireGrant, toLinkHead } from './review-link.js'

/** Tells for whom a link is, and by whom. Idempotent. */
export const readReviewLink = operation({
  operationId: 'readReviewLink',
  summary: 'Tell for whom a link to posts is, by whom, and until when it works.',
  description:
    'For the page that the link opens, before its button is clicked: the posts are not read, and the link does not count as opened. Costs one read.',
  method: 'GET',
  path: '/link',
  surfaces: ['review'],
  permission: 'review',
  answers: [200],
  success: namedObject('LinkHead', linkHeadFields),
  handle: ({ principal }) => ok(toLinkHead(requireGrant(principal))),
})
