import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import type { ApiCall } from '../http/operation.js'
import type { Actor } from '../interface/access.js'
import type { PostAction, PostStatus } from '../interface/posts.js'
import { newId } from '../lib/ids.js'
import { checkIfMatch } from './etag.js'
import { nextStatus, STATUS_RULES, type Trigger } from './lifecycle.js'
import { checkPublishable } from './post-rules.js'
import { lockScheduledPost, type ScheduledPostRow, saveScheduledPost } from './scheduled-posts.store.js'

/** Which post is to change, at whose wish. */
export interface Target {
  organizationId: string
  scheduledPostId: string
  /** The If-Match header: the post changes only if it is still the one that the caller has read. */
  ifMatch: string | undefined
  actor: Actor
}

/** The post of a call made with an API key. */
export const toTarget = (scheduledPostId: string, { headers, principal }: Omit<ApiCall, 'body'>): Target => ({
  organizationId: principal.organizationId,
  scheduledPostId,
  ifMatch: headers['if-match'],
  actor: `key:${principal.keyId}`,
})

interface Change {
  trigger: Exclude<Trigger, 'delete'>
  action: PostAction
  /** What changes besides the status; may throw for a rule that does not hold. */
  edit?(before: ScheduledPostRow, tx: Queryable, now: Date): ScheduledPostRow | Promise<ScheduledPostRow>
  /** For the history. */
  describe?(before: ScheduledPostRow, after: ScheduledPostRow): Record<string, unknown>
}

/**
 * The way of every change that is not the publisher's, in one transaction: whose it is (404), If-Match (412), status and
 * rules (400), hashtags (409). What changes nothing leaves the version as it is.
 */
export function changePost(
  { clock, database }: Pick<Context, 'clock' | 'database'>,
  { organizationId, scheduledPostId, ifMatch, actor }: Target,
  { trigger, action, edit = (post) => post, describe }: Change,
): Promise<ScheduledPostRow> {
  const now = new Date(clock.now())
  return database.transaction(async (tx) => {
    const before = await lockScheduledPost(tx, organizationId, scheduledPostId)
    checkIfMatch(ifMatch, before.version)
    const status = nextStatus(trigger, before.status)
    const after = withStatus(await edit(before, tx, now), status)
    if (isDeepStrictEqual(after, before)) return before
    if (STATUS_RULES[status].mustBePublishable) checkPublishable(after, now.getTime())
    return saveScheduledPost(tx, before, after, { actor, action, detail: describe?.(before, after), at: now })
  })
}

/** A task begins with the first status that has one, and ends with the first that has none. */
const withStatus = (post: ScheduledPostRow, status: PostStatus): ScheduledPostRow => ({
  ...post,
  status,
  task_id: STATUS_RULES[status].hasTask ? (post.task_id ?? newId('task')) : null,
})
