import { isDeepStrictEqual } from 'node:util'
import { holdChannelRoles } from '../access/hold-rights.js'
import { isLinkedPostOpen } from '../access/review-links/linked-posts.store.js'
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
import { postBodies, toPostAnswer } from './scheduled-post.js'
import { NO_APPROVAL, NO_PROOF, type ScheduledPostRow } from './scheduled-post-row.js'
import { lockScheduledPost, saveScheduledPost } from './scheduled-posts.store.js'

/** The part of the context that a change of a post needs. */
export type PostContext = Pick<Context, 'clock' | 'config' | 'database'>

/** Which post is to change, and who asks for it. */
export interface Target {
  principal: Principal
  scheduledPostId: string
  /** The If-Match header: the post changes only if it is still the one that the caller has read. */
  ifMatch: string | undefined
}

/** The post that a call names. */
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
  /** It is asked for in every channel of the post, as it was and as it becomes. */
  permission: Needed
  trigger: Exclude<Trigger, 'delete'>
  /** The trigger of a post that has failed, where that is another one. */
  failedTrigger?: 'repair' | undefined
  action: PostAction
  /** Makes the change besides that of the status; may throw for a rule that does not hold. */
  edit?(before: ScheduledPostRow, tx: Queryable, now: Date): ScheduledPostRow | Promise<ScheduledPostRow>
  /** The operationId, where it is not that of the action. */
  operation?: string | undefined
  /** Gives the detail of the history's entry. */
  describe?(before: ScheduledPostRow, after: ScheduledPostRow): Record<string, unknown>
}

/** The parts of its definition that an operation which changes one post shares with the others. */
export const postChange = {
  inChannels: 'checked',
  headers: ifMatchHeader,
  answerHeaders: ['etag'],
  ...postBodies,
} as const

/** Changes the post that a call names, and answers with the post after it. */
export const answerChange = async (
  call: Pick<Call<{ scheduledPostId: string }>, 'params' | 'headers' | 'principal'>,
  context: PostContext,
  change: Change,
): Promise<Answer> => toPostAnswer(await changePost(context, toTarget(call), change), call.principal)

/**
 * The way of every change that is not the publisher's, in one transaction: whose it is (404), the roles by channel (403),
 * If-Match (412), status and rules (400), hashtags (409). What changes nothing leaves the version as it is.
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
    // The clock is read after the wait for the lock, so that the change that it waited for comes first in the history.
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
    // The trail outlives the link, and names who it was.
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
 * A link ends before the decision or after it, because it is locked as its post is. Throws link_token_wrong, and wrong_state
 * for a post that has come to a channel in which the person who made the link may not approve.
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
    message: 'The person who sent you the link may not decide about all channels of this post: ask for another link.',
  })
}

/** The holder of a link may decide about the post, which is locked. Throws link_token_wrong and wrong_state. */
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

/** For a post of a link about which its holder has decided, or which waits no longer. */
export const linkedPostIsOver = (): ApiError =>
  new ApiError('wrong_state', {
    message: 'The post is not waiting for a decision by your link: take your decision back, or ask for another link.',
  })

/**
 * A task begins with the first status that has one, and ends with the first that has none. An approval ends likewise, and
 * with it what it has fixed.
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

/** A channel that failed before the post's time was deleted under the approval that ends. */
const notFailed = ({ channels }: ScheduledPostRow): ScheduledPostRow['channels'] =>
  channels.map((channel) => ({ ...channel, failed_to_publish: false }))

/** The content that a human approves: everything that goes out, but not when. */
const contentOf = ({ media, media_type, alt_text, ai_generated, channels }: ScheduledPostRow): unknown => ({
  media,
  media_type,
  alt_text,
  ai_generated,
  channels: channels.map(({ channel_id, caption, superpower }) => ({ channel_id, caption, superpower })),
})
