import { isDeepStrictEqual } from 'node:util'
import { holdChannelRoles } from '../access/hold-rights.js'
import { lockReviewLink } from '../access/review-links/review-links.store.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import type { Answer, Call } from '../http/operation.js'
import type { Needed, Principal } from '../http/principal.js'
import type { PostAction } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'
import { notBefore } from '../lib/dates.js'
import { newId } from '../lib/ids.js'
import { checkIfMatch, ifMatchHeader } from './etag.js'
import { nextStatus, STATUS_RULES, type Trigger } from './lifecycle.js'
import { requirePublishable } from './post-rules.js'
import { isLinkedPostOpen } from './review-links/linked-posts.store.js'
import { postBodies, toPostAnswer } from './scheduled-post.js'
import { NO_APPROVAL, NO_PROOF, type ScheduledPostRow } from './scheduled-post-row.js'
import { lockScheduledPost, saveScheduledPost } from './scheduled-posts.store.js'

/** The part of the context that changing a post needs. */
export type PostContext = Pick<Context, 'clock' | 'config' | 'database'>

/** The post to change, and who asks for it. */
export interface Target {
  principal: Principal
  scheduledPostId: string
  /** The If-Match header: the post changes only if it is still the version that the caller read. */
  ifMatch: string | undefined
}

/** Returns the post that a call names. */
export const toTarget = ({
  params,
  headers,
  principal,
}: Pick<Call<{ scheduledPostId: string }>, 'params' | 'headers' | 'principal'>): Target => ({
  principal,
  scheduledPostId: params.scheduledPostId,
  ifMatch: headers['if-match'],
})

export interface Change {
  /** Required in every channel of the post, before and after the change. */
  permission: Needed
  trigger: Exclude<Trigger, 'delete'>
  /** The trigger for a failed post, if it differs. */
  failedTrigger?: 'repair' | undefined
  action: PostAction
  /** Makes the change, except to the status; may throw if a rule is broken. */
  edit?(before: ScheduledPostRow, tx: Queryable, now: Date): ScheduledPostRow | Promise<ScheduledPostRow>
  /** The operationId, if it differs from the action's. */
  operation?: string | undefined
  /** Returns the detail of the history entry. */
  describe?(before: ScheduledPostRow, after: ScheduledPostRow): Record<string, unknown>
}

/** Parts of the definition that all operations on one post share. */
export const postChange = {
  inChannels: 'checked',
  headers: ifMatchHeader,
  answerHeaders: ['etag'],
  ...postBodies,
} as const

/** Changes the post that a call names, and answers with the new post. */
export const answerChange = async (
  call: Pick<Call<{ scheduledPostId: string }>, 'params' | 'headers' | 'principal'>,
  context: PostContext,
  change: Change,
): Promise<Answer> => toPostAnswer(await changePost(context, toTarget(call), change), call.principal)

/**
 * Makes every change except the publisher's, in one transaction: ownership (404), roles by channel (403), If-Match (412),
 * status and rules (400), hashtags (409). A change without effect keeps the version.
 */
export function changePost(
  { clock, config, database }: PostContext,
  { principal, scheduledPostId, ifMatch }: Target,
  { permission, trigger: usual, failedTrigger, action, edit = (post) => post, operation, describe }: Change,
): Promise<ScheduledPostRow> {
  return database.transaction(async (tx) => {
    const checkChannels = await holdChannelRoles(tx, principal, permission)
    const before = await lockScheduledPost(tx, principal.organizationId, scheduledPostId)
    checkChannels(before.channels)
    // The clock is read after waiting for the lock, so that the change it waited for comes first in the history.
    const now = new Date(clock.now())
    checkIfMatch(ifMatch, before)
    const trigger = before.status === 'FAILED' ? (failedTrigger ?? usual) : usual
    nextStatus(trigger, before.status)
    if (principal.link !== undefined) await requireLink(tx, principal, now, scheduledPostId)
    const edited = await edit(before, tx, now)
    if (edited.channels !== before.channels) checkChannels(edited.channels)
    // A call that changes nothing does not repair a post.
    if (trigger === 'repair' && isDeepStrictEqual(edited, before)) return before
    const isContent = trigger === 'update' && !isDeepStrictEqual(contentOf(before), contentOf(edited))
    const status = nextStatus(isContent ? 'updateContent' : trigger, before.status)
    const after = withStatus(edited, status)
    if (isDeepStrictEqual(after, before)) return before
    if (STATUS_RULES[status].mustBePublishable) await requirePublishable(tx, config, after, now.getTime())
    const detail = describe?.(before, after)
    const { actor, link } = principal
    // The trail outlives the link, so it names the person.
    const outsider = link && { name: link.name, linkOf: `user:${link.madeBy}` }
    const note = {
      actor,
      action,
      detail: outsider === undefined ? detail : { ...detail, outsider },
      at: notBefore(before.updated_at, now),
    }
    return saveScheduledPost(tx, before, after, operation === undefined ? note : { ...note, operation })
  })
}

/**
 * The link is locked like its post, so it ends either before the decision or after it. Throws link_token_wrong, or
 * wrong_state if the post now has a channel in which the maker of the link may not approve.
 */
async function requireLink(
  tx: Queryable,
  { organizationId, link }: Principal,
  now: Date,
  scheduledPostId: string,
): Promise<void> {
  const mayDecide = await lockReviewLink(tx, organizationId, { linkId: link!.id, scheduledPostId, now })
  if (mayDecide === undefined) throw new ApiError('link_token_wrong')
  if (mayDecide) return
  throw new ApiError('wrong_state', {
    message:
      'The person who sent you the link is not allowed to decide about every channel of this post: ask for another link.',
  })
}

/** Checks that the holder of a link may decide about the post, which is locked. Throws link_token_wrong and wrong_state. */
export async function requireOpenPost(
  tx: Queryable,
  principal: Principal,
  scheduledPostId: string,
  now: Date,
): Promise<void> {
  await requireLink(tx, principal, now, scheduledPostId)
  const { organizationId, link } = principal
  const place = { organizationId, linkId: link!.id, scheduledPostId }
  if (!(await isLinkedPostOpen(tx, place))) throw linkedPostIsOver()
}

/** The error for a post that the link's holder has decided about, or that no longer waits. */
export const linkedPostIsOver = (): ApiError =>
  new ApiError('wrong_state', {
    message:
      'The post is not waiting for a decision through your link: take your decision back, or ask for another link.',
  })

/**
 * A publishing task begins with the first status that has one, and ends with the first that has none. An approval ends in
 * the same way, along with what it recorded.
 */
function withStatus(post: ScheduledPostRow, status: PostStatus): ScheduledPostRow {
  const { isApproved, hasTask } = STATUS_RULES[status]
  const isApprovalOver = STATUS_RULES[post.status].isApproved && !isApproved
  return {
    ...post,
    ...(isApproved ? {} : NO_APPROVAL),
    ...(isApprovalOver ? { ...NO_PROOF, channels: notFailed(post) } : {}),
    status,
    task_id: hasTask ? (post.task_id ?? newId('task')) : null,
  }
}

/** A channel that failed before the post's time was deleted under the approval that now ends. */
const notFailed = ({ channels }: ScheduledPostRow): ScheduledPostRow['channels'] =>
  channels.map((channel) => ({ ...channel, failed_to_publish: false }))

/** Returns the content that a human approves: everything that is published, but not the time. */
const contentOf = ({ media, media_type, alt_text, ai_generated, channels }: ScheduledPostRow): unknown => ({
  media,
  media_type,
  alt_text,
  ai_generated,
  channels: channels.map(({ channel_id, caption, superpower }) => ({ channel_id, caption, superpower })),
})
