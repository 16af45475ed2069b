import { ok, operation } from '../http/operation.js'
import type { ScheduledPostEdit } from '../interface/generated/types.js'
import { holdMediaByUrl } from '../media/media.js'
import { applyPatch } from './apply-patch.js'
import { changePost, type PostContext, type Target, toTarget } from './change-post.js'
import { type Copied, findCopied } from './copies.js'
import { describeChanges } from './describe-changes.js'
import { ifMatchHeader, toEtag } from './etag.js'
import {
  checkBytes,
  checkOutNowhere,
  checkPublished,
  checkScheduledFor,
  copyNamedSuperpowers,
  requireNamedChannels,
} from './post-rules.js'
import { postEditSchema, postPatchSchema } from './post-schema.js'
import {
  postForPeopleBody,
  scheduledPostBody,
  scheduledPostDocument,
  toPostAnswer,
  toScheduledPostDocument,
  withoutContent,
} from './scheduled-post.js'
import type { ScheduledPostRow } from './scheduled-post-row.js'

const shared = {
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [200, 400, 404, 409, 412],
  headers: ifMatchHeader,
  answerHeaders: ['etag'],
} as const

/**
 * Change a post, or return a rejected one to DRAFT (interface 3 and 4.3). Channels follow JSON Merge Patch by channel id.
 * With If-Match, the post changes only if it is still the version that the caller read.
 */
export const updateScheduledPost = operation({
  ...shared,
  operationId: 'updateScheduledPost',
  summary: 'Update a scheduled post',
  description:
    "Use it to change a post until it is published. Fields that are not named keep their values; channels follow JSON Merge Patch by channel id. Changing the content returns a SCHEDULED post to WAITING_FOR_APPROVAL: see `status` in the response. Send If-Match so that you do not overwrite another caller's change. Costs one transaction.",
  route: 'PATCH /scheduled-posts/{scheduledPostId}',
  surfaces: ['v1'],
  body: postPatchSchema,
  success: scheduledPostBody,
  async handle(call, context) {
    return toPostAnswer(await updatePost(context, toTarget(call), call.body), call.principal)
  },
})

/** The same for people, who can also clear the time and the media. */
export const updateOrganizationScheduledPost = operation({
  ...shared,
  operationId: 'updateOrganizationScheduledPost',
  summary: 'Update a scheduled post',
  description:
    "Use it to change a post until it is published, or a failed one that is published nowhere. Fields that are not named keep their values; channels follow JSON Merge Patch by channel id; null clears the time, the picture or video, or its alt text, if the status does not need them. Changing the content of a SCHEDULED post, or anything in a FAILED one, moves it to WAITING_FOR_APPROVAL. Send If-Match so that you do not overwrite another caller's change. Costs one transaction.",
  route: 'PATCH /scheduled-posts/{scheduledPostId}',
  body: postEditSchema,
  success: postForPeopleBody,
  async handle(call, context) {
    return toPostAnswer(await updatePost(context, toTarget(call), call.body, 'repair'), call.principal)
  },
})

/** The same in the earlier variant (interface 9.4): the path parameter is `id`, and the response is a document (2.4). */
export const updateScheduledPostEarlier = operation({
  ...shared,
  operationId: 'updateScheduledPostEarlier',
  summary: 'Update a scheduled post (earlier variant)',
  description:
    'For clients of the earlier variant: the same as PATCH /v1/scheduled-posts/{scheduledPostId}, with the document fields in the response. Costs one transaction.',
  route: 'PATCH /scheduled-posts/{id}',
  surfaces: ['v0'],
  body: postPatchSchema,
  success: scheduledPostDocument,
  async handle(call, context) {
    const target = toTarget({ ...call, params: { scheduledPostId: call.params.id } })
    const post = await updatePost(context, target, call.body)
    return ok(withoutContent(toScheduledPostDocument(post, call.principal), call.principal), { etag: toEtag(post) })
  },
})

/**
 * Changes what the patch names; with `status: DRAFT` a rejected post becomes a draft (interface 3, 4.3). New content returns
 * a SCHEDULED post to WAITING_FOR_APPROVAL, because the approval covered the earlier content. Any change of a FAILED post
 * makes it wait for approval again.
 */
function updatePost(
  context: PostContext,
  target: Target,
  patchBody: ScheduledPostEdit,
  failedTrigger?: 'repair',
): Promise<ScheduledPostRow> {
  const { organizationId } = target.principal
  let copied: Copied = {}
  return changePost(context, target, {
    permission: 'posts:write',
    trigger: patchBody.status === 'DRAFT' ? 'updateToDraft' : 'update',
    failedTrigger,
    action: 'updated',
    async edit(before, tx, now) {
      const channels = await requireNamedChannels(tx, organizationId, patchBody.channels, before.channels)
      const patch = await copyNamedSuperpowers(tx, organizationId, patchBody)
      checkScheduledFor(patch, now.getTime())
      const after = applyPatch(before, patch, channels)
      checkPublished(before, after)
      if (before.status === 'FAILED') checkOutNowhere(before)
      checkBytes(after, before)
      if (after.media !== before.media) await holdMediaByUrl(tx, context.config, organizationId, after.media)
      copied = await findCopied(tx, patchBody.copiedFrom, after, before)
      return after
    },
    describe: (before, after) => ({ ...describeChanges(before, after), ...copied }),
  })
}
