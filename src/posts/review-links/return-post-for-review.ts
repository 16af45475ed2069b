import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { rejectPost } from '../decisions.js'
import { ifMatchRequired, requireIfMatch } from '../etag.js'
import { rejectionBody } from '../scheduled-post.js'
import { linkedPostParams, requireLinkedTarget } from './linked-posts.js'
import { byLink } from './review-link.js'

/** Return one post of a link to its author, with notes that say why. */
export const returnPostForReview = operation({
  ...byLink,
  operationId: 'returnPostForReview',
  summary: 'Return one post of a link, with notes that say why.',
  description:
    'For the person outside who wants something changed: the notes become the post’s, and the history names them and who made the link. A link that has no other post ends. Costs one transaction.',
  route: 'POST /posts/{number}/return',
  answers: [200, 400, 404, 412, 428],
  params: linkedPostParams,
  headers: ifMatchRequired,
  body: rejectionBody,
  success: Joi.object({}),
  async handle(call, context) {
    const target = await requireLinkedTarget(call, context.database)
    requireIfMatch(target.ifMatch)
    await rejectPost(context, target, call.body.notes)
    return ok({})
  },
})
