import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { rejectPost } from '../decisions.js'
import { ifMatchRequired, requireIfMatch } from '../etag.js'
import { rejectionBody } from '../scheduled-post.js'
import { toLinkedTarget } from './review-link.js'

/** Return the post of the link to its author, with notes that say why. */
export const returnByLink = operation({
  operationId: 'returnByLink',
  summary: 'Return the post that a link is to, with notes that say why; the link ends.',
  description:
    'For the one outside who wants something changed: the notes become the post’s, and the history names them and who made the link. Costs one transaction.',
  method: 'POST',
  path: '/return',
  surfaces: ['review'],
  permission: 'review',
  answers: [200, 400, 404, 412, 428],
  headers: ifMatchRequired,
  body: rejectionBody,
  success: Joi.object({}),
  async handle(call, context) {
    const target = toLinkedTarget(call)
    requireIfMatch(target.ifMatch)
    await rejectPost(context, target, call.body.notes)
    return ok({})
  },
})
