import Joi from 'joi'
import { operation } from '../http/operation.js'
import { utcInstant } from '../http/params.js'
import type { Retry } from '../interface/posts.js'
import { toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, scheduledPostParams, toPostAnswer } from './scheduled-post.js'
import { retryPost } from './verbs.js'

/** Schedule a FAILED post again: what failed is published then, and what is out on a channel stays as it is. */
export const retryScheduledPost = operation({
  operationId: 'retryScheduledPost',
  summary: 'Schedule a FAILED post again, for the channels on which it failed.',
  description:
    'For a post whose cause of failure is mended, such as a token that has been replaced. A channel on which the post may have been published already is not tried again by itself: look first. Costs one transaction.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/retry',
  surfaces: ['operator', 'console'],
  permission: 'posts:approve',
  answers: [200, 400, 404, 409, 412],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  body: Joi.object<Retry, true>({
    scheduledFor: utcInstant.required().description('The new time: an ISO 8601 datetime in UTC (Z), in the future.'),
  }),
  success: scheduledPostBody,
  async handle(call, context) {
    return toPostAnswer(await retryPost(context, toTarget(call), call.body), call.principal)
  },
})
