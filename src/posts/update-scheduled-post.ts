import { isDeepStrictEqual } from 'node:util'
import Joi from 'joi'
import type { Context } from '../http/context.js'
import { type ApiCall, ok, operation } from '../http/operation.js'
import type { ScheduledPostPatch } from '../interface/posts.js'
import { applyPatch } from './apply-patch.js'
import { changePost, toTarget } from './change-post.js'
import { ifMatchHeader, toEtag } from './etag.js'
import { checkScheduledFor, copyNamedSuperpowers, requireNamedChannels } from './post-rules.js'
import { postPatchSchema } from './post-schema.js'
import {
  scheduledPostBody,
  scheduledPostDocument,
  scheduledPostParams,
  toPostAnswer,
  toScheduledPostDocument,
} from './scheduled-post.js'
import type { ScheduledPostRow } from './scheduled-posts.store.js'

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
  params: scheduledPostParams,
  headers: ifMatchHeader,
  body: postPatchSchema,
  success: scheduledPostBody,
  async handle(call, context) {
    return toPostAnswer(await patchPost(call.params.scheduledPostId, call, context))
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
  headers: ifMatchHeader,
  body: postPatchSchema,
  success: scheduledPostDocument,
  async handle(call, context) {
    const post = await patchPost(call.params.id, call, context)
    return ok(toScheduledPostDocument(post), { etag: toEtag(post.version) })
  },
})

function patchPost(
  scheduledPostId: string,
  call: ApiCall<unknown, unknown, ScheduledPostPatch>,
  context: Context,
): Promise<ScheduledPostRow> {
  const { organizationId } = call.principal
  return changePost(context, toTarget(scheduledPostId, call), {
    trigger: call.body.status === 'DRAFT' ? 'updateToDraft' : 'update',
    action: 'updated',
    async edit(before, tx, now) {
      const channels = await requireNamedChannels(tx, organizationId, call.body.channels)
      const patch = await copyNamedSuperpowers(tx, organizationId, call.body)
      checkScheduledFor(patch, now.getTime())
      return applyPatch(before, patch, channels)
    },
    describe: (before, after) => ({ changed: listChanges(before, after) }),
  })
}

/** The fields that differ, by the names that a caller gives them; a channel as `channels.<id>`. */
function listChanges(before: ScheduledPostRow, after: ScheduledPostRow): string[] {
  const fields = { scheduledFor: 'scheduled_for', media: 'media', mediaType: 'media_type', notes: 'notes' } as const
  const channelIds = new Set([...before.channels, ...after.channels].map(({ channel_id }) => channel_id))
  const find = ({ channels }: ScheduledPostRow, id: string) => channels.find(({ channel_id }) => channel_id === id)
  return [
    ...Object.entries(fields).flatMap(([name, column]) =>
      isDeepStrictEqual(before[column], after[column]) ? [] : [name],
    ),
    ...[...channelIds]
      .filter((id) => !isDeepStrictEqual(find(before, id), find(after, id)))
      .map((id) => `channels.${id}`)
      .sort(),
  ]
}
