import type { Queryable } from '../database/database.js'
import type { Actor } from '../http/principal.js'
import type { InboxDetail, PostAction } from '../interface/generated/types.js'
import type { InboxKind } from '../interface/inbox.js'
import { addInboxEntries, removeLastDecisionNews } from '../news/inbox/inbox.store.js'
import { listPeopleOfPost } from './news.store.js'

/** The changes of a post that its people hear about. */
const NEWS: Partial<Record<PostAction, InboxKind>> = {
  rejected: 'returned',
  approved: 'approved',
  failed: 'failed',
  published: 'published',
}

interface PostChange {
  organizationId: string
  scheduledPostId: string
  actor: Actor
  action: PostAction
  operation: string
  detail: Record<string, unknown> | undefined
  at: Date
}

/**
 * Adds inbox entries about a change for the people of a post, in its transaction, and removes those about a decision that is
 * undone. Costs two statements for the changes that people hear about, and none for others.
 */
export async function notifyPeople(tx: Queryable, change: PostChange): Promise<void> {
  const { organizationId, scheduledPostId, actor, action, operation, detail, at } = change
  if (operation === 'undoDecision') return await removeLastDecisionNews(tx, organizationId, scheduledPostId)
  const isReturn = actor.type === 'publisher' && action === 'reverted'
  const kind = isReturn ? 'returned' : NEWS[action]
  if (kind === undefined) return
  const people = await listPeopleOfPost(tx, organizationId, scheduledPostId)
  const news = { kind, scheduledPostId, at, actor, detail: toInboxDetail(detail) }
  await addInboxEntries(
    tx,
    organizationId,
    people.map((personId) => ({ ...news, personId })),
  )
}

/** Returns the part of a history detail that people read: notes, who decided with a link, and why it failed. */
function toInboxDetail(detail: Record<string, unknown> = {}): InboxDetail | undefined {
  const {
    reason,
    notes = reason,
    outsider,
    channels,
  } = detail as {
    notes?: string
    /** Set when the publisher returns a post. */
    reason?: string
    outsider?: { name: string }
    channels?: Record<string, { state: string; error?: string }>
  }
  const failures = Object.entries(channels ?? {}).flatMap(([channelId, { state, error = '' }]) =>
    state === 'FAILED' ? [{ channelId, reason: error }] : [],
  )
  const recipients = {
    ...(notes === undefined ? {} : { notes }),
    ...(outsider === undefined ? {} : { outsider: outsider.name }),
    ...(failures.length === 0 ? {} : { failures }),
  }
  return Object.keys(recipients).length === 0 ? undefined : recipients
}
