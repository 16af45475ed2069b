import type { Config } from '../config.js'
import type { Queryable } from '../database/database.js'
import type { Principal } from '../http/principal.js'
import type { NewScheduledPost, Retry, ScheduledPost, ScheduledPostPatch } from '../interface/posts.js'
import { notBefore, parseIsoInstant } from '../lib/dates.js'
import { newId } from '../lib/ids.js'
import { holdMediaByUrl } from '../media/media.js'
import { applyPatch } from './apply-patch.js'
import { changePost, type PostContext, type Target } from './change-post.js'
import { resetFailedPublications } from './channel-failures.store.js'
import { describeChanges } from './describe-changes.js'
import { checkIfMatch, FIRST_VERSION, requireIfMatch } from './etag.js'
import { checkFourEyes } from './four-eyes.js'
import { answerOnce } from './idempotency.js'
import { nextStatus, STATUS_RULES } from './lifecycle.js'
import {
  checkBytes,
  checkPublished,
  checkScheduledFor,
  copyNamedSuperpowers,
  requireNamedChannels,
  requirePublishable,
} from './post-rules.js'
import { type ReviewRow, saveReview } from './reviews.store.js'
import { toScheduledPostBody } from './scheduled-post.js'
import { approvalBy, NO_APPROVAL, type ScheduledPostRow } from './scheduled-post-row.js'
import { deleteScheduledPostRow, insertScheduledPostRow, lockScheduledPost } from './scheduled-posts.store.js'

// What can be done with a post, on every surface alike. Each throws the ApiErrors of its rules (lifecycle.ts, post-rules.ts).

/**
 * Creates a post and gives it as it goes out. With an idempotency key a repeat within 24 hours creates nothing and gives
 * what the first call gave.
 */
export function createPost(
  { clock, config, database }: PostContext,
  principal: Principal,
  { body, idempotencyKey }: { body: NewScheduledPost; idempotencyKey: string | undefined },
): Promise<ScheduledPost> {
  const { organizationId } = principal
  const now = new Date(clock.now())
  return database.transaction((tx) =>
    answerOnce(tx, { organizationId, key: idempotencyKey, body, now }, async () =>
      toScheduledPostBody(await insertPost(tx, config, principal, body, now)),
    ),
  )
}

async function insertPost(
  tx: Queryable,
  config: Config,
  { organizationId, actor }: Principal,
  body: NewScheduledPost,
  now: Date,
): Promise<ScheduledPostRow> {
  const channels = await requireNamedChannels(tx, organizationId, body.channels)
  const fields = await copyNamedSuperpowers(tx, organizationId, body)
  checkScheduledFor(fields, now.getTime())
  const empty: ScheduledPostRow = {
    organization_id: organizationId,
    scheduled_post_id: newId('post'),
    status: body.status ?? 'DRAFT',
    media: null,
    media_type: null,
    scheduled_for: null,
    task_id: null,
    notes: null,
    version: FIRST_VERSION,
    created_at: now,
    updated_at: now,
    ...NO_APPROVAL,
    channels: [],
  }
  const post = applyPatch(empty, fields, channels)
  checkBytes(post)
  await holdMediaByUrl(tx, config, organizationId, post.media)
  if (STATUS_RULES[post.status].mustBePublishable) await requirePublishable(tx, config, post, now.getTime())
  await insertScheduledPostRow(tx, post, actor)
  return post
}

/**
 * Changes what the patch names; with `status: DRAFT` a rejected post becomes a draft (interface 3, 4.3). Another content
 * takes a SCHEDULED post back to WAITING_FOR_APPROVAL: the approval was of what it had.
 */
export function updatePost(
  context: PostContext,
  target: Target,
  patchBody: ScheduledPostPatch,
): Promise<ScheduledPostRow> {
  const { organizationId } = target.principal
  return changePost(context, target, {
    trigger: patchBody.status === 'DRAFT' ? 'updateToDraft' : 'update',
    action: 'updated',
    async edit(before, tx, now) {
      const channels = await requireNamedChannels(tx, organizationId, patchBody.channels, before.channels)
      const patch = await copyNamedSuperpowers(tx, organizationId, patchBody)
      checkScheduledFor(patch, now.getTime())
      const after = applyPatch(before, patch, channels)
      checkPublished(before, after)
      checkBytes(after, before)
      if (after.media !== before.media) await holdMediaByUrl(tx, context.config, organizationId, after.media)
      return after
    },
    describe: describeChanges,
  })
}

/** Hands a post that is ready to be published to a human for approval. */
export const submitPost = (context: PostContext, target: Target): Promise<ScheduledPostRow> =>
  changePost(context, target, { trigger: 'submit', action: 'submitted' })

/**
 * A human's decision about the version that they have seen (If-Match), from which on the post is published at its time.
 * Throws precondition_required without it, and own_post where the organization asks for four eyes.
 */
export async function approvePost(context: PostContext, target: Target): Promise<ScheduledPostRow> {
  requireIfMatch(target.ifMatch)
  return changePost(context, target, {
    trigger: 'approve',
    action: 'approved',
    operation: target.principal.link && 'approveByLink',
    async edit(before, tx, now) {
      await checkFourEyes(tx, target.principal, target.scheduledPostId, now)
      // Of an earlier approval: of a channel that was deleted, and is there again.
      await resetFailedPublications(tx, before)
      await keepReview(tx, before, 'approved', now)
      return { ...before, ...approvalBy(target.principal.actor, before.version, now) }
    },
    describe: (before) => ({ version: before.version }),
  })
}

/** The notes say why, and become the post's. */
export const rejectPost = (context: PostContext, target: Target, notes: string): Promise<ScheduledPostRow> =>
  changePost(context, target, {
    trigger: 'reject',
    action: 'rejected',
    operation: target.principal.link && 'returnByLink',
    async edit(before, tx, now) {
      await keepReview(tx, before, 'rejected', now)
      return { ...before, notes }
    },
    describe: () => ({ notes }),
  })

/** Keeps what the post says for the one who reviews it next. */
function keepReview(tx: Queryable, post: ScheduledPostRow, decision: ReviewRow['decision'], at: Date): Promise<void> {
  const { media, mediaType, scheduledFor, mediumsData } = toScheduledPostBody(post)
  const content = { media, mediaType, scheduledFor, mediumsData }
  const review = { version: post.version, decision, decided_at: at, content }
  return saveReview(tx, post.organization_id, post.scheduled_post_id, review)
}

/** Back to DRAFT, which cancels the task. */
export const revertPost = (context: PostContext, target: Target): Promise<ScheduledPostRow> =>
  changePost(context, target, { trigger: 'revert', action: 'reverted' })

/** Schedules a FAILED post again: what failed is published then, and what is out on a channel stays as it is. */
export const retryPost = (context: PostContext, target: Target, { scheduledFor }: Retry): Promise<ScheduledPostRow> =>
  changePost(context, target, {
    trigger: 'retry',
    action: 'retried',
    async edit(before, tx, now) {
      checkScheduledFor({ scheduledFor }, now.getTime())
      await resetFailedPublications(tx, before)
      return {
        ...before,
        scheduled_for: new Date(parseIsoInstant(scheduledFor)!),
        // What failed with the deletion of its channel stays failed.
        channels: before.channels.map((channel) => ({
          ...channel,
          failed_to_publish: channel.deleted && !channel.published,
        })),
      }
    },
    describe: (_before, after) => ({ scheduledFor: after.scheduled_for?.toISOString() }),
  })

/** Deletes a post that is neither published nor about to be. Its hashtags are free again; its history stays. */
export async function deletePost(
  { clock, database }: PostContext,
  { principal, scheduledPostId, ifMatch }: Target,
): Promise<void> {
  await database.transaction(async (tx) => {
    const post = await lockScheduledPost(tx, principal.organizationId, scheduledPostId)
    checkIfMatch(ifMatch, post)
    nextStatus('delete', post.status)
    const at = notBefore(post.updated_at, new Date(clock.now()))
    await deleteScheduledPostRow(tx, post, { actor: principal.actor, at })
  })
}
