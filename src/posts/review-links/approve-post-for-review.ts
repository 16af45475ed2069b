import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { approvePost } from '../decisions.js'
import { ifMatchRequired } from '../etag.js'
import { linkedPostParams, requireLinkedTarget } from './linked-posts.js'
import { byLink } from './review-link.js'

/** Approve one post of a link: the version that its holder has seen, and no other. */
export const approvePostForReview = operation({
  ...byLink,
  operationId: 'approvePostForReview',
  summary: 'Approve one post of a link: it is published at its time.',
  description:
    'For the person outside who has read the post: If-Match names the version, and that version is published or nothing. The history names them and who made the link. A link that has no other post ends. Media at an address outside are fetched and fixed, in 10 seconds at most. Costs one transaction.',
  route: 'POST /posts/{number}/approve',
  answers: [200, 400, 403, 404, 412, 428],
  params: linkedPostParams,
  headers: ifMatchRequired,
  success: Joi.object({}),
  async handle(call, context) {
    await approvePost(context, await requireLinkedTarget(call, context.database))
    return ok({})
  },
})
