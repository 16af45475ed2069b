import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { PostForReview } from '../../interface/generated/types.js'
import { toEtag } from '../etag.js'
import { contentFields, mediaCheckBody, shownChannelBody, toContentBody, toMediaCheck } from '../scheduled-post.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { linkHeadFields, requireGrant, requireLinkedPost, toLinkHead } from './review-link.js'

const { mediumsData: _, ...postFields } = contentFields

/** The post of the link as its channels will show it, without what is said about it inside. Idempotent. */
export const getReview = operation({
  operationId: 'getReview',
  summary: 'Read the post that a link is to, as its channels will show it.',
  description:
    'For the page that the link opens, and for the ETag that a decision takes. Notes and the history stay inside. Costs two reads.',
  method: 'GET',
  path: '/post',
  surfaces: ['review'],
  permission: 'review',
  answers: [200, 404],
  answerHeaders: ['etag'],
  success: namedObject('PostForReview', {
    ...linkHeadFields,
    ...postFields,
    mediaCheck: mediaCheckBody,
    channels: Joi.array().items(shownChannelBody).required(),
  }),
  async handle({ principal }, { database }) {
    const row = await requireScheduledPost(database, principal.organizationId, requireLinkedPost(principal))
    const { mediumsData, ...content } = toContentBody(row)
    const body: PostForReview = {
      ...toLinkHead(requireGrant(principal)),
      ...content,
      ...toMediaCheck(row),
      channels: Object.values(mediumsData).map(({ failedToPublish: _, ...channel }) => channel),
    }
    return ok(body, { etag: toEtag(row) })
  },
})
