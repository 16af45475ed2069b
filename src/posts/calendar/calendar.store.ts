import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, readValue } from '../../database/queries.js'
import type { ChannelType, Role } from '../../interface/generated/types.js'
import type { PostStatus } from '../../interface/post-status.js'
import type { WaitReason } from '../../interface/post-waits.js'
import {
  AFTER_POSITION,
  findWalkEnd,
  type ListedPosts,
  type PostPosition,
  START,
  toCondition,
} from '../post-list.store.js'
import { lateReason } from '../waits.store.js'

export interface CalendarPostRow {
  scheduled_post_id: string
  status: PostStatus
  scheduled_for: Date | null
  version: number
  updated_at: Date
  media: string | null
  media_type: string | null
  /** The beginning of its first text. */
  text: string | null
  channels: { id: string; type: ChannelType; name: string }[] | null
  /** The number of unresolved threads in its discussion. */
  open_messages: number
  /** The stored reason; null for a post that is not late. */
  wait_reason: WaitReason | null
}

const TEXT_CHARS = 120

/** Lists the same posts as listScheduledPostRows, with what a calendar shows. */
export async function listCalendarPostRows(
  database: Queryable,
  organizationId: string,
  { after = START, rows, now, ...filter }: ListedPosts & { after: PostPosition | undefined; rows: number; now: Date },
): Promise<{
  posts: (CalendarPostRow & { position_time: string })[]
  mayHaveMore: boolean
  end: PostPosition | undefined
}> {
  const end = await findWalkEnd(database, organizationId, after, filter)
  const { condition, values } = toCondition({ ...filter, end }, 6)
  const posts = await listRows<CalendarPostRow & { position_time: string }>(
    database,
    `select p.scheduled_post_id, p.status, p.scheduled_for, p.version, p.updated_at, p.media, p.media_type, x.text, x.channels,
            (select count(*)::int from discussion_messages m
              where m.organization_id = $1 and m.scheduled_post_id = p.scheduled_post_id
                and reply_to is null and resolved_at is null) as open_messages,
            ${lateReason('$5')} as wait_reason,
            p.list_time::text as position_time
       from (select * from scheduled_posts p
              where organization_id = $1 and ${AFTER_POSITION} ${condition}
              order by list_time, scheduled_post_id collate "C"
              limit $4) p
      cross join lateral (
            select json_agg(json_build_object('id', c.channel_id, 'type', c.type, 'name', c.name)
                            order by c.channel_id collate "C") as channels,
                   (array_agg(left(x.caption, ${TEXT_CHARS}) order by c.channel_id collate "C")
                      filter (where x.caption ~ '\\S'))[1] as text
              from scheduled_post_channels x join channels c using (organization_id, channel_id)
             where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id) x
      order by p.list_time, p.scheduled_post_id collate "C"`,
    [organizationId, ...after, rows + 1, now, ...values],
  )
  return { posts: posts.slice(0, rows), mayHaveMore: posts.length > rows, end }
}

type PersonIds = [organizationId: string, personId: string]

/** A valid calendar address, with the rights of its person. */
export interface CalendarFeedRow {
  organization_id: string
  organization_name: string
  owner: boolean
  /** Null for an owner of the server who is not a member. */
  role: Role | null
  may_approve: boolean
}

/** Finds the feed with this token, if its person has an account in an active organization. */
export const findCalendarFeed = (database: Queryable, tokenHash: string): Promise<CalendarFeedRow | undefined> =>
  findRow(
    database,
    `select f.organization_id, o.name as organization_name, p.owner, m.role, coalesce(m.may_approve, false) as may_approve
       from calendar_feeds f
       join organizations o using (organization_id)
       join people p using (person_id)
       left join memberships m on m.organization_id = f.organization_id and m.person_id = f.person_id
      where f.token_hash = $1 and o.active and o.deleted_at is null and p.active and (p.owner or m.role is not null)`,
    [tokenHash],
  )

/** Returns when the person's address was made; undefined if there is none. */
export const findFeedOf = (database: Queryable, ...ids: PersonIds): Promise<Date | undefined> =>
  findValue(database, 'select created_at from calendar_feeds where organization_id = $1 and person_id = $2', ids)

/** Makes the person's address, replacing any earlier one. */
export async function putCalendarFeed(
  tx: Queryable,
  feed: { organizationId: string; personId: string; tokenHash: string; at: Date },
): Promise<void> {
  await tx.query(
    `insert into calendar_feeds (organization_id, person_id, token_hash, created_at) values ($1, $2, $3, $4)
         on conflict (organization_id, person_id)
         do update set token_hash = excluded.token_hash, created_at = excluded.created_at`,
    [feed.organizationId, feed.personId, feed.tokenHash, feed.at],
  )
}

/** Returns false if there is none. */
export const deleteCalendarFeed = (tx: Queryable, organizationId: string, personId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from calendar_feeds where organization_id = $1 and person_id = $2', [organizationId, personId])

/** The first instant is included, the second is not. */
type Window = readonly [from: Date, before: Date]

/** Returns a number that changes with any post of the window and with the name of any channel. */
export const readFeedState = (database: Queryable, organizationId: string, window: Window): Promise<string> =>
  readValue(
    database,
    `select concat_ws('-',
              (select count(*) || '-' || coalesce(sum(hashtextextended(concat_ws(' ', scheduled_post_id, version,
                                                                                 updated_at), 0)::numeric), 0)
                 from scheduled_posts where organization_id = $1 and list_time >= $2 and list_time < $3),
              (select coalesce(sum(hashtextextended(concat_ws(' ', channel_id, name), 0)::numeric), 0)
                 from channels where organization_id = $1))`,
    [organizationId, ...window],
  )

export interface FeedPostRow {
  scheduled_post_id: string
  status: PostStatus
  scheduled_for: Date
  version: number
  created_at: Date
  updated_at: Date
  text: string | null
  channel_names: string[] | null
}

const FEED_TEXT_CHARS = 500

/** Ordered by time, soonest first. */
export const listFeedPosts = (
  database: Queryable,
  organizationId: string,
  window: Window,
  rows: number,
): Promise<FeedPostRow[]> =>
  listRows(
    database,
    `select p.scheduled_post_id, p.status, p.scheduled_for, p.version, p.created_at, p.updated_at, x.text, x.channel_names
       from (select * from scheduled_posts
              where organization_id = $1 and list_time >= $2 and list_time < $3
              order by list_time, scheduled_post_id collate "C"
              limit $4) p
      cross join lateral (
            select json_agg(c.name order by c.channel_id collate "C") as channel_names,
                   (array_agg(left(x.caption, ${FEED_TEXT_CHARS}) order by c.channel_id collate "C")
                      filter (where x.caption ~ '\\S'))[1] as text
              from scheduled_post_channels x join channels c using (organization_id, channel_id)
             where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id) x
      order by p.list_time, p.scheduled_post_id collate "C"`,
    [organizationId, ...window, rows],
  )

export interface SlotRow {
  weekday: number
  minute_of_day: number
}

/** Lists the slots of channels that exist, in the order of the week. */
export const listSlotRows = (
  database: Queryable,
  organizationId: string,
): Promise<(SlotRow & { channel_id: string })[]> =>
  listRows(
    database,
    `select s.channel_id, weekday, minute_of_day
       from posting_slots s join channels c using (organization_id, channel_id)
      where s.organization_id = $1 and c.deleted_at is null
      order by s.channel_id collate "C", weekday, minute_of_day`,
    [organizationId],
  )

/** Replaces the slots of a channel, one writer at a time. Returns false if the channel does not exist. */
export async function replaceSlots(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  slots: readonly SlotRow[],
): Promise<boolean> {
  const isThere = await hitsRow(
    tx,
    `select from channels where organization_id = $1 and channel_id = $2 and deleted_at is null for no key update`,
    [organizationId, channelId],
  )
  if (!isThere) return false
  await tx.query('delete from posting_slots where organization_id = $1 and channel_id = $2', [
    organizationId,
    channelId,
  ])
  await tx.query(
    `insert into posting_slots (organization_id, channel_id, weekday, minute_of_day)
     select $1, $2, weekday, minute_of_day from unnest($3::smallint[], $4::smallint[]) as s (weekday, minute_of_day)`,
    [organizationId, channelId, slots.map(({ weekday }) => weekday), slots.map((slot) => slot.minute_of_day)],
  )
  return true
}
