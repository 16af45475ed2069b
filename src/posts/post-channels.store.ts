import type { Queryable } from '../database/database.js'
import { listRows, listValues } from '../database/queries.js'
import { ApiError } from '../errors.js'
import { toExpiresAtMs } from '../superpowers/superpower-schema.js'
import { STATUS_RULES } from './lifecycle.js'
import type { PostChannelRow, PostKey, ScheduledPostRow } from './scheduled-post-row.js'

type PostIds = [organizationId: string, scheduledPostId: string]

/** Releases the hashtags that the post has claimed on its channels. */
export async function releaseHashtags(tx: Queryable, ...ids: PostIds): Promise<void> {
  await tx.query('delete from hashtag_claims where organization_id = $1 and scheduled_post_id = $2', ids)
}

/** Lists the channel ids of each of these posts. */
export async function listChannelsOfPosts(
  database: Queryable,
  organizationId: string,
  scheduledPostIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await listRows<{ id: string; channels: string[] }>(
    database,
    `select scheduled_post_id as id, array_agg(channel_id) as channels from scheduled_post_channels
      where organization_id = $1 and scheduled_post_id = any($2::text[]) group by scheduled_post_id`,
    [organizationId, scheduledPostIds],
  )
  return new Map(rows.map(({ id, channels }) => [id, channels]))
}

interface PostWithChannels extends PostKey, Pick<ScheduledPostRow, 'status'> {
  channels: Omit<PostChannelRow, 'type' | 'name' | 'deleted'>[]
}

/**
 * Locks the channels of the post and the given ones, always in the same order, so that claims of several posts wait for each
 * other without deadlocks. The lock is the weakest one that excludes itself, so that statements that only refer to a channel
 * do not wait.
 */
export async function lockChannels(
  tx: Queryable,
  { organization_id, scheduled_post_id }: PostKey,
  channelIds: readonly string[],
): Promise<{ channel_id: string; deleted: boolean }[]> {
  const { rows } = await tx.query<{ channel_id: string; deleted: boolean }>(
    `select channel_id, deleted_at is not null as deleted from channels
      where organization_id = $1 and channel_id in (
              select unnest($3::text[])
               union
              select channel_id from scheduled_post_channels where organization_id = $1 and scheduled_post_id = $2)
      order by channel_id for no key update`,
    [organization_id, scheduled_post_id, channelIds],
  )
  return rows
}

/** Locks the channels on which the post will be published. Throws channel_unknown for a deleted one. */
export async function lockLiveChannels(tx: Queryable, post: ScheduledPostRow): Promise<void> {
  const wanted = post.channels.flatMap((row) => (row.published || row.failed_to_publish ? [] : [row.channel_id]))
  const locked = await lockChannels(tx, post, wanted)
  const deleted = locked.find((row) => row.deleted && wanted.includes(row.channel_id))
  if (deleted === undefined) return
  throw new ApiError('channel_unknown', { message: `The channel ${deleted.channel_id} has been deleted.` })
}

/**
 * Writes the channels of a post and claims their hashtags, in a transaction. `before` is the stored, locked post; undefined
 * if it is new. Throws hashtag_conflict.
 */
export async function replaceChannels(
  tx: Queryable,
  post: PostWithChannels,
  now: Date,
  before?: PostWithChannels,
): Promise<void> {
  // Most changes only affect a caption: no channel is added or removed, and nothing is claimed.
  if (before !== undefined && hasSameChannels(before, post) && !hasHashtag(before) && !hasHashtag(post)) {
    await upsertChannels(tx, post)
    return
  }
  const key = [post.organization_id, post.scheduled_post_id]
  const channelIds = post.channels.map(({ channel_id }) => channel_id)
  await lockChannels(tx, post, channelIds)
  // This also deletes the claims on these channels.
  await tx.query(
    `delete from scheduled_post_channels
      where organization_id = $1 and scheduled_post_id = $2 and channel_id <> all($3::text[])`,
    [...key, channelIds],
  )
  await upsertChannels(tx, post)
  await replaceClaims(tx, post, now.getTime())
}

const hasSameChannels = ({ channels: a }: PostWithChannels, { channels: b }: PostWithChannels): boolean =>
  a.length === b.length && a.every(({ channel_id }) => b.some((other) => other.channel_id === channel_id))

/** A post without a hashtag on any channel has no claims. */
const hasHashtag = ({ channels }: PostWithChannels): boolean =>
  channels.some(({ superpower }) => superpower?.lookupHashtag !== undefined)

async function upsertChannels(tx: Queryable, post: PostWithChannels): Promise<void> {
  await tx.query(
    `insert into scheduled_post_channels
            (organization_id, scheduled_post_id, channel_id, caption, superpower, failed_to_publish)
     select $1, $2, channel_id, caption, superpower, failed_to_publish
       from json_to_recordset($3::json)
            as c (channel_id text, caption text, superpower json, failed_to_publish boolean)
         on conflict (organization_id, scheduled_post_id, channel_id) do update
        set caption = excluded.caption, superpower = excluded.superpower,
            failed_to_publish = excluded.failed_to_publish`,
    [post.organization_id, post.scheduled_post_id, JSON.stringify(post.channels)],
  )
}

async function replaceClaims(tx: Queryable, post: PostWithChannels, nowMs: number): Promise<void> {
  const key = [post.organization_id, post.scheduled_post_id]
  await releaseHashtags(tx, post.organization_id, post.scheduled_post_id)
  const stopped = await listStoppedChannels(tx, post)
  const wanted = listClaims(post, nowMs).filter(({ channel_id }) => !stopped.includes(channel_id))
  if (wanted.length === 0) return
  const { rows } = await tx.query<{ channel_id: string }>(
    `insert into hashtag_claims (organization_id, scheduled_post_id, channel_id, lookup_hashtag, expires_at_ms)
     select $1, $2, channel_id, lookup_hashtag, expires_at_ms
       from json_to_recordset($3::json) as c (channel_id text, lookup_hashtag text, expires_at_ms bigint)
         on conflict (organization_id, channel_id, lookup_hashtag) do update
        set scheduled_post_id = excluded.scheduled_post_id, expires_at_ms = excluded.expires_at_ms
      where hashtag_claims.expires_at_ms <= $4
     returning channel_id`,
    [...key, JSON.stringify(wanted), nowMs],
  )
  const claimed = new Set(rows.map(({ channel_id }) => channel_id))
  const refused = wanted.filter(({ channel_id, isOut }) => !claimed.has(channel_id) && !isOut)
  if (refused.length > 0) throw await toConflict(tx, post.organization_id, refused)
}

/** A stopped superpower stays stopped, and holds no hashtag. The channels of the post are locked. */
const listStoppedChannels = (tx: Queryable, { organization_id, scheduled_post_id }: PostKey): Promise<string[]> =>
  listValues(tx, 'select channel_id from automation_stops where organization_id = $1 and scheduled_post_id = $2', [
    organization_id,
    scheduled_post_id,
  ])

const HELD_NAMED_MAX = 5

/** Returns the error for hashtags that other posts hold, with those posts. */
async function toConflict(tx: Queryable, organizationId: string, refused: readonly Claim[]): Promise<ApiError> {
  const holders = await listRows<{ channel_id: string; hashtag: string; scheduled_post_id: string }>(
    tx,
    `select t.channel_id, t.hashtag, c.scheduled_post_id
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality as t (channel_id, lookup_hashtag, hashtag, place)
       join hashtag_claims c on c.organization_id = $1 and c.channel_id = t.channel_id
                            and c.lookup_hashtag = t.lookup_hashtag
      order by t.place`,
    [
      organizationId,
      refused.map(({ channel_id }) => channel_id),
      refused.map(({ lookup_hashtag }) => lookup_hashtag),
      refused.map(({ hashtag }) => hashtag),
    ],
  )
  const held = holders
    .slice(0, HELD_NAMED_MAX)
    .map(({ hashtag, scheduled_post_id }) => `${hashtag} by the post ${scheduled_post_id}`)
  return new ApiError('hashtag_conflict', {
    message: `A hashtag is already in use on a channel${held.length > 0 ? ` (${held.join(', ')})` : ''}: choose another, or free it first: stop the superpower of that post, or delete the post.`,
    conflicts: refused.map(({ channel_id, hashtag }) => ({
      ...{ mediumId: channel_id, hashtag, reason: 'already-in-use' as const },
      scheduledPostId: holders.find((one) => one.channel_id === channel_id && one.hashtag === hashtag)
        ?.scheduled_post_id,
    })),
  })
}

interface Claim {
  channel_id: string
  lookup_hashtag: string
  /** The hashtag as the caller wrote it. */
  hashtag: string
  expires_at_ms: number | null
  /** The post is already out there: another post that took the hashtag in the meantime keeps it. */
  isOut: boolean
}

/** Lists the hashtags that the post uses at this moment. An expired superpower releases its own. */
function listClaims({ status, channels }: PostWithChannels, nowMs: number): Claim[] {
  if (!STATUS_RULES[status].holdsHashtags) return []
  return channels.flatMap(({ channel_id, superpower, published }) => {
    const { hashtag, lookupHashtag } = superpower ?? {}
    if (hashtag === undefined || lookupHashtag === undefined) return []
    const expiresAtMs = toExpiresAtMs(superpower ?? {})
    if (expiresAtMs !== null && expiresAtMs <= nowMs) return []
    return [{ channel_id, lookup_hashtag: lookupHashtag, hashtag, expires_at_ms: expiresAtMs, isOut: published }]
  })
}
