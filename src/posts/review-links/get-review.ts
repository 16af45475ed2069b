import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import type { PostForReview } from '../../interface/reviews.js'
import { toEtag } from '../etag.js'
import { contentFields, shownChannelFields, toContentBody } from '../scheduled-post.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { requireGrant } from './review-link.js'

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
  success: Joi.object<PostForReview, true>({
    name: Joi.string().required().description('Whom the link is for.'),
    madeBy: Joi.string().required().description('The name of the person who made it.'),
    organizationName: Joi.string().required(),
    timeZone: Joi.string().required().description('An IANA name: in which the times are meant.'),
    expiresAt: Joi.string().isoDate().required(),
    ...postFields,
    channels: Joi.array().items(Joi.object<PostForReview['channels'][number], true>(shownChannelFields)).required(),
  }),
  async handle({ principal }, { database }) {
    const grant = requireGrant(principal)
    const row = await requireScheduledPost(database, principal.organizationId, grant.scheduledPostId)
    const { media, mediaType, altText, scheduledFor, mediumsData } = toContentBody(row)
    const body: PostForReview = {
      name: grant.name,
      madeBy: grant.makerName,
      organizationName: grant.organizationName,
      timeZone: grant.timeZone,
      expiresAt: grant.expiresAt.toISOString(),
      ...{ media, mediaType, altText, scheduledFor },
      channels: Object.values(mediumsData).map(({ failedToPublish: _, ...channel }) => channel),
    }
    return ok(body, { etag: toEtag(row) })
  },
})
