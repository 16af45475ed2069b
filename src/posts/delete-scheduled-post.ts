import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { Message } from '../interface/errors.js'
import { toTarget } from './change-post.js'
import { checkIfMatch, ifMatchHeader } from './etag.js'
import { nextStatus } from './lifecycle.js'
import { scheduledPostParams } from './scheduled-post.js'
import { deleteScheduledPostRow, lockScheduledPost } from './scheduled-posts.store.js'

/** Delete a post that is neither published nor about to be. Its hashtags are free again; its history stays. */
export const deleteScheduledPost = operation({
  operationId: 'deleteScheduledPost',
  summary: 'Delete a scheduled post, unless it is being published or has been.',
  method: 'DELETE',
  path: '/scheduled-posts/{scheduledPostId}',
  answers: [200, 400, 402, 403, 404, 412, 422],
  params: scheduledPostParams,
  headers: ifMatchHeader,
  success: Joi.object<Message, true>({ message: Joi.string().required() }),
  async handle(call, { clock, database }) {
    const { organizationId, scheduledPostId, ifMatch, actor } = toTarget(call.params.scheduledPostId, call)
    await database.transaction(async (tx) => {
      const post = await lockScheduledPost(tx, organizationId, scheduledPostId)
      checkIfMatch(ifMatch, post.version)
      nextStatus('delete', post.status)
      await deleteScheduledPostRow(tx, post, { actor, at: new Date(clock.now()) })
    })
    return ok({ message: 'The post is deleted.' })
  },
})
