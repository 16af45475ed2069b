import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { Message } from '../interface/errors.js'
import { toTarget } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostParams } from './scheduled-post.js'
import { deletePost } from './verbs.js'

/** Delete a post that is neither published nor about to be. Its hashtags are free again; its history stays. */
export const deleteScheduledPost = operation({
  operationId: 'deleteScheduledPost',
  summary: 'Delete a scheduled post, unless it is being published or has been.',
  description:
    'For a post that is not wanted any more: its hashtags are free again, its history stays. Costs one transaction.',
  method: 'DELETE',
  path: '/scheduled-posts/{scheduledPostId}',
  surfaces: ['v1', 'console'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  success: Joi.object<Message, true>({ message: Joi.string().required() }),
  async handle(call, context) {
    await deletePost(context, toTarget(call))
    return ok({ message: 'The post is deleted.' })
  },
})
