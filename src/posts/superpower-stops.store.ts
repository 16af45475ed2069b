import type { Queryable } from '../database/database.js'
import { findRow, hitsRow, readRow } from '../database/queries.js'
import { ApiError } from '../errors.js'
import { type Actor, idOfActor } from '../http/principal.js'

interface SuperpowerKey {
  organizationId: string
  scheduledPostId: string
  channelId: string
}

/** Locks the channel of the post. Throws post_not_found, also if there is no superpower there. */
export async function requireSuperpower(
  tx: Queryable,
  { organizationId, scheduledPostId, channelId }: SuperpowerKey,
): Promise<void> {
  const isThere = await hitsRow(
    tx,
    `select from scheduled_post_channels
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and superpower is not null
        for no key update`,
    [organizationId, scheduledPostId, channelId],
  )
  if (isThere) return
  throw new ApiError('post_not_found', { message: 'There is no such post with a superpower on this channel.' })
}

interface StopRow {
  reason: string
  stopped_at: Date
}

/** Stores the stop and releases the hashtag. Returns the first stop if the superpower is already stopped. */
export async function insertStop(
  tx: Queryable,
  { organizationId, scheduledPostId, channelId }: SuperpowerKey,
  { reason, at, actor }: { reason: string; at: Date; actor: Actor },
): Promise<StopRow & { isNew: boolean }> {
  const key = [organizationId, scheduledPostId, channelId]
  const inserted = await findRow<StopRow>(
    tx,
    `insert into automation_stops (organization_id, scheduled_post_id, channel_id, reason, stopped_at, actor_type, actor_id)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning reason, stopped_at`,
    [...key, reason, at, actor.type, idOfActor(actor)],
  )
  if (inserted === undefined) {
    const stored = await readRow<StopRow>(
      tx,
      `select reason, stopped_at from automation_stops
        where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
      key,
    )
    return { ...stored, isNew: false }
  }
  await tx.query(
    'delete from hashtag_claims where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3',
    key,
  )
  return { ...inserted, isNew: true }
}
