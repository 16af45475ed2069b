import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { approvePost } from '../decisions.js'
import { ifMatchRequired } from '../etag.js'
import { toLinkedTarget } from './review-link.js'

/** Approve the post of the link: the version that its holder has seen, and no other. */
export const approveByLink = operation({
  operationId: 'approveByLink',
  summary: 'Approve the post that a link is to: it is published at its time, and the link ends.',
  description:
    'For the one outside who has read the post: If-Match names the version, and that version is published or nothing. The history names them and who made the link. Media at an address outside are fetched and fixed, in 10 seconds at most. Costs one transaction.',
  method: 'POST',
  path: '/approve',
  surfaces: ['review'],
  permission: 'review',
  answers: [200, 400, 403, 404, 412, 428],
  headers: ifMatchRequired,
  success: Joi.object({}),
  async handle(call, context) {
    await approvePost(context, toLinkedTarget(call))
    return ok({})
  },
})
