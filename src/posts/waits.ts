import type { Database } from '../database/database.js'
import type { PostWait } from '../interface/generated/types.js'
import { foremost, LATE_MS, WAIT_TEXTS, type WaitReason } from '../interface/post-waits.js'
import type { LatePosts } from '../interface/status.js'
import { hasLivingHolder } from '../work/holders.store.js'
import { countStoredWaits, findWait, type WaitRow } from './waits.store.js'

/**
 * Returns why a due post waits. What publishers found is stored with the post; a reason that no publisher could write,
 * because none is running or none has reached the post, is determined here. Undefined for a post that is not waiting.
 */
export async function readWait(
  database: Database,
  organizationId: string,
  scheduledPostId: string,
  now: Date,
): Promise<PostWait | undefined> {
  const row = await findWait(database, organizationId, scheduledPostId, now)
  const reason = row && (await findReason(database, row, now))
  return reason === undefined ? undefined : toWait(row!, reason)
}

async function findReason(database: Database, row: WaitRow, now: Date): Promise<WaitReason | undefined> {
  if (!row.organization_active) return 'organization_inactive'
  if (!(await hasLivingHolder(database, 'publishing'))) return 'publisher_off'
  const stored = foremost(row.channels.map(({ wait_reason }) => wait_reason))
  if (stored !== undefined) return stored
  if (now.getTime() - row.scheduled_for.getTime() < LATE_MS) return undefined
  return row.is_held ? 'in_progress' : 'queue'
}

function toWait({ scheduled_for, next_attempt_at, wait_since, channels }: WaitRow, reason: WaitReason): PostWait {
  const isStored = channels.some(({ wait_reason }) => wait_reason === reason)
  return {
    reason,
    text: WAIT_TEXTS[reason],
    dueAt: scheduled_for.toISOString(),
    ...(wait_since === null ? {} : { since: wait_since.toISOString() }),
    // Without a publisher there is no next attempt.
    ...(isStored && next_attempt_at !== null ? { nextAttemptAt: next_attempt_at.toISOString() } : {}),
    channels: channels.map((channel) => ({
      channelId: channel.channel_id,
      reason: channel.wait_reason,
      ...(channel.error === null ? {} : { words: channel.error }),
      ...(channel.next_attempt_at === null ? {} : { nextAttemptAt: channel.next_attempt_at.toISOString() }),
    })),
  }
}

/** Returns the current reason of a late post of an active organization, based on the stored one. */
export async function currentReasons(
  database: Database,
  stored: readonly (WaitReason | null)[],
): Promise<(WaitReason | undefined)[]> {
  if (stored.every((reason) => reason === null)) return stored.map(() => undefined)
  const isOff = !(await hasLivingHolder(database, 'publishing'))
  return stored.map((reason) => (reason === null ? undefined : isOff ? 'publisher_off' : reason))
}

/** Counts the late posts of all organizations by reason, up to 10,000. */
export async function countLatePosts(database: Database, now: Date): Promise<LatePosts> {
  const late: LatePosts = { count: 0, reasons: {} }
  const rows = await countStoredWaits(database, now)
  const isOff = rows.length > 0 && !(await hasLivingHolder(database, 'publishing'))
  for (const { reason: stored, posts, oldest_at } of rows) {
    const reason = isOff && stored !== 'organization_inactive' ? 'publisher_off' : stored
    late.count += posts
    late.reasons[reason] = (late.reasons[reason] ?? 0) + posts
    const oldest = oldest_at.toISOString()
    if (late.oldestDueAt === undefined || oldest < late.oldestDueAt) late.oldestDueAt = oldest
  }
  return late
}
