import Joi from 'joi'
import { holdChannelRoles } from '../access/hold-rights.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { notBefore } from '../lib/dates.js'
import { postChange, toTarget } from './change-post.js'
import { checkIfMatch } from './etag.js'
import { nextStatus } from './lifecycle.js'
import { deleteScheduledPostRow, lockScheduledPost } from './scheduled-posts.store.js'

/** Delete a post that is neither published nor about to be. Its hashtags are free again; its history stays. */
export const deleteScheduledPost = operation({
  ...postChange,
  operationId: 'deleteScheduledPost',
  summary: 'Delete a scheduled post, unless it is being published or has been.',
  description:
    'For a post that is not wanted any more: its hashtags are free again, its history stays. Costs one transaction.',
  route: 'DELETE /scheduled-posts/{scheduledPostId}',
  surfaces: ['v1', 'api'],
  permission: 'posts:write',
  answers: [200, 400, 404, 412],
  // Unlike other changes it answers no post.
  successOn: {},
  success: namedObject('Message', { message: Joi.string().required() }),
  async handle(call, { clock, database }) {
    const { principal, scheduledPostId, ifMatch } = toTarget(call)
    await database.transaction(async (tx) => {
      const checkChannels = await holdChannelRoles(tx, principal, 'posts:write')
      const post = await lockScheduledPost(tx, principal.organizationId, scheduledPostId)
      checkChannels(post.channels)
      checkIfMatch(ifMatch, post)
      nextStatus('delete', post.status)
      const at = notBefore(post.updated_at, new Date(clock.now()))
      await deleteScheduledPostRow(tx, post, { actor: principal.actor, at })
    })
    return ok({ message: 'The post is deleted.' })
  },
})
