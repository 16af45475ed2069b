import { isDeepStrictEqual } from 'node:util'
import Joi from 'joi'
import type { Context } from '../context.js'
import type { Principal } from '../http/authenticate.js'
import { type Call, ok, operation } from '../http/operation.js'
import { applyPatch } from './apply-patch.js'
import { checkIfMatch, toEtag } from './etag.js'
import { nextStatus, STATUS_RULES } from './lifecycle.js'
import { checkPublishable, checkScheduledFor, requireNamedChannels } from './post-rules.js'
import { type PostPatch, postPatchSchema } from './post-schema.js'
import {
  scheduledPostBody,
  scheduledPostDocument,
  toScheduledPostBody,
  toScheduledPostDocument,
} from './scheduled-post.js'
import { lockScheduledPost, type ScheduledPostRow, saveScheduledPost } from './scheduled-posts.store.js'

const answers = [200, 400, 402, 403, 404, 409, 412, 422] as const

/**
 * Change a post, or take a rejected one back to DRAFT (interface 3 and 4.3). Channels follow JSON Merge Patch by channel
 * id. With If-Match the post changes only if it is still the one that the caller has read.
 */
export const updateScheduledPost = operation({
  operationId: 'updateScheduledPost',
  summary: 'Update a scheduled post',
  method: 'PATCH',
  path: '/scheduled-posts/{scheduledPostId}',
  answers,
  params: Joi.object<{ scheduledPostId: string }, true>({ scheduledPostId: Joi.string().required() }),
  body: postPatchSchema,
  success: scheduledPostBody,
  async handle(call, context) {
    const post = await patchPost(call.params.scheduledPostId, call, context)
    return ok(toScheduledPostBody(post), { etag: toEtag(post.version) })
  },
})

/** The same in the earlier variant (interface 9.4): the path parameter is `id`, the answer a document (2.4). */
export const updateScheduledPostEarlier = operation({
  operationId: 'updateScheduledPostEarlier',
  summary: 'Update a scheduled post (earlier variant)',
  method: 'PATCH',
  path: '/scheduled-posts/{id}',
  answers,
  params: Joi.object<{ id: string }, true>({ id: Joi.string().required() }),
  body: postPatchSchema,
  success: scheduledPostDocument,
  async handle(call, context) {
    const post = await patchPost(call.params.id, call, context)
    return ok(toScheduledPostDocument(post), { etag: toEtag(post.version) })
  },
})

function patchPost(
  scheduledPostId: string,
  { body, headers, principal }: Pick<Call<unknown, unknown, PostPatch>, 'body' | 'headers'> & { principal: Principal },
  { clock, database }: Context,
): Promise<ScheduledPostRow> {
  const now = new Date(clock.now())
  return database.transaction(async (tx) => {
    const before = await lockScheduledPost(tx, principal.organizationId, scheduledPostId)
    checkIfMatch(headers['if-match'], before.version)
    const status = nextStatus(body.status === 'DRAFT' ? 'updateToDraft' : 'update', before.status)
    const channels = await requireNamedChannels(tx, principal.organizationId, body.channels)
    checkScheduledFor(body, now.getTime())

    const after = { ...applyPatch(before, body, channels), status }
    if (isDeepStrictEqual(after, before)) return before
    if (STATUS_RULES[status].mustBePublishable) checkPublishable(after, now.getTime())
    return saveScheduledPost(tx, after, now)
  })
}
