import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { rejectPost } from '../decisions.js'
import { ifMatchRequired, requireIfMatch } from '../etag.js'
import { rejectionBody } from '../scheduled-post.js'
import { linkedPostParams, requireLinkedTarget } from './linked-posts.js'

/** Return one post of a link to several to its author, with notes that say why. */
export const returnPostForReview = operation({
  operationId: 'returnPostForReview',
  summary: 'Return one post of a link to several, with notes that say why.',
  description:
    'For the one outside who wants something changed: the notes become the post’s, and the history names them and who made the link. Costs one transaction.',
  method: 'POST',
  path: '/posts/{number}/return',
  surfaces: ['review'],
  permission: 'review',
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
