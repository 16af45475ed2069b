import Joi from 'joi'
import { operation } from '../http/operation.js'
import type { Rejection } from '../interface/posts.js'
import { changePost, toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, scheduledPostParams, toPostAnswer } from './scheduled-post.js'

/** Refuse a post that waits for approval. The notes say why and become the post's. */
export const rejectScheduledPost = operation({
  operationId: 'rejectScheduledPost',
  summary: 'Reject a post that waits for approval, with notes that say why.',
  method: 'POST',
  path: '/scheduled-posts/{scheduledPostId}/reject',
  answers: [200, 400, 402, 403, 404, 412, 422],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  body: Joi.object<Rejection, true>({
    notes: Joi.string().pattern(/\S/, 'not blank').required().description('Why; not blank.'),
  }),
  success: scheduledPostBody,
  async handle(call, context) {
    const { notes } = call.body
    const post = await changePost(context, toTarget(call.params.scheduledPostId, call), {
      trigger: 'reject',
      action: 'rejected',
      edit: (before) => ({ ...before, notes }),
      describe: () => ({ notes }),
    })
    return toPostAnswer(post)
  },
})
