import type { Queryable } from '../database/database.js'
import { listRows } from '../database/queries.js'
import type { MediaUse } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'
import { limit } from '../lib/limits.js'
import type { ScheduledPostRow } from './scheduled-post-row.js'
import { SELECT_POSTS } from './scheduled-posts.store.js'

/** The posts that a list covers. */
export interface ListedPosts {
  status?: PostStatus | undefined
  channelId?: string | undefined
  /** ISO 8601 in UTC; inclusive. */
  scheduledFrom?: string | undefined
  /** ISO 8601 in UTC; exclusive. Omits posts without a time. */
  scheduledBefore?: string | undefined
  /** Part of a text or of the notes, ignoring case. */
  text?: string | undefined
}

interface PostFilter extends ListedPosts {
  /** The last post of the previous page. */
  after: PostPosition | undefined
  offset: number
  /** The largest number of posts on the page. */
  rows: number
  /** The largest size of the page, unless it has a single post. */
  bytes: number
}

/** A post's position in the list: its list_time as text, and its id. */
export type PostPosition = readonly [listTime: string, scheduledPostId: string]

export const START: PostPosition = ['-infinity', '']
/** How many posts one statement skips: other requests are served in between. */
const SKIP_STEP = 5000
const SEARCHED_MAX = limit('searchedPosts')

/**
 * Lists posts by scheduled_for, soonest first, those without one last, then by id. Empty only at the end, or after a search
 * has examined as many posts as one statement may; `next` is where the list continues.
 */
export async function listScheduledPostRows(
  database: Queryable,
  organizationId: string,
  { after = START, offset, rows, bytes, ...filter }: PostFilter,
): Promise<{ posts: ScheduledPostRow[]; next: PostPosition | undefined }> {
  let start = after
  let left = offset
  for (; left > SKIP_STEP; left -= SKIP_STEP) {
    const { condition, values } = toCondition(filter, 5)
    const { rows: passed } = await database.query<{ list_time: string; scheduled_post_id: string }>(
      `select list_time::text as list_time, scheduled_post_id from scheduled_posts p
        where organization_id = $1 and ${AFTER_POSITION} ${condition}
        order by p.list_time, scheduled_post_id collate "C"
        limit 1 offset $4`,
      [organizationId, ...start, SKIP_STEP - 1, ...values],
    )
    if (passed[0] === undefined) return { posts: [], next: undefined }
    start = [passed[0].list_time, passed[0].scheduled_post_id]
  }
  const end = await findWalkEnd(database, organizationId, start, filter)
  const { condition, values } = toCondition({ ...filter, end }, 8)
  // Ids and sizes come first, so that posts that are skipped or do not fit are never built.
  const { rows: found } = await database.query<ScheduledPostRow & { position_time: string; may_have_more: boolean }>(
    `with candidates as (
       select list_time, scheduled_post_id from scheduled_posts p
        where organization_id = $1 and ${AFTER_POSITION} ${condition}
        order by list_time, scheduled_post_id collate "C"
        limit $5 offset $4),
     sized as (
       select candidates.*, row_number() over list as place, count(*) over () as candidates,
              sum((select p.bytes from scheduled_posts p
                    where p.organization_id = $1 and p.scheduled_post_id = candidates.scheduled_post_id)
                  + coalesce((select sum(x.bytes) from scheduled_post_channels x
                               where x.organization_id = $1
                                 and x.scheduled_post_id = candidates.scheduled_post_id), 0)) over list as total
         from candidates
       window list as (order by list_time, scheduled_post_id collate "C")),
     page as (
       select scheduled_post_id, list_time, place, candidates > max(place) over () as may_have_more
         from sized
        where place = 1 or (place <= $6 and total <= $7))
     select posts.*, page.list_time::text as position_time, page.may_have_more
       from page join (${SELECT_POSTS} where organization_id = $1) posts using (scheduled_post_id)
      order by page.place`,
    [organizationId, ...start, left, rows + 1, rows, bytes, ...values],
  )
  const last = found.at(-1)
  return {
    posts: found.map(({ position_time: _, may_have_more: __, ...post }) => post),
    next: last?.may_have_more ? [last.position_time, last.scheduled_post_id] : end,
  }
}

/**
 * Returns how far a search goes in one statement. No index covers the texts, so it examines a bounded number of posts.
 * Undefined if that is all of them, or if there is no search.
 */
export async function findWalkEnd(
  database: Queryable,
  organizationId: string,
  after: PostPosition,
  { text, ...filter }: ListedPosts,
): Promise<PostPosition | undefined> {
  if (text === undefined) return undefined
  const { condition, values } = toCondition(filter, 5)
  const { rows } = await database.query<{ list_time: string; scheduled_post_id: string }>(
    `select list_time::text as list_time, scheduled_post_id from scheduled_posts p
      where organization_id = $1 and ${AFTER_POSITION} ${condition}
      order by p.list_time, scheduled_post_id collate "C"
      limit 1 offset $4`,
    [organizationId, ...after, SEARCHED_MAX - 1, ...values],
  )
  return rows[0] && [rows[0].list_time, rows[0].scheduled_post_id]
}

export const AFTER_POSITION =
  '(p.list_time, p.scheduled_post_id collate "C") > ($2::text::timestamptz, $3::text collate "C")'

/**
 * Includes only the conditions that are asked for: with `$n is null or …` the indexes would be useless. `first` is the
 * number of the first parameter.
 */
export function toCondition(
  { status, channelId, scheduledFrom, scheduledBefore, text, end }: ListedPosts & { end?: PostPosition | undefined },
  first: number,
) {
  const values: string[] = []
  const parameter = (value: string): string => `$${first - 1 + values.push(value)}`
  const conditions = [
    status && `and p.status = ${parameter(status)}`,
    scheduledFrom && `and p.list_time >= ${parameter(scheduledFrom)}::text::timestamptz`,
    scheduledBefore && `and p.list_time < ${parameter(scheduledBefore)}::text::timestamptz`,
    channelId &&
      `and exists (select from scheduled_post_channels x
                    where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id
                      and x.channel_id = ${parameter(channelId)})`,
    end &&
      `and (p.list_time, p.scheduled_post_id collate "C")
           <= (${parameter(end[0])}::text::timestamptz, ${parameter(end[1])}::text collate "C")`,
    text && toSearch(parameter(text)),
  ]
  return { condition: conditions.filter(Boolean).join(' '), values }
}

const toSearch = (text: string): string =>
  `and (strpos(lowered(p.notes), lowered(${text})) > 0
        or exists (select from scheduled_post_channels x
                    where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id
                      and strpos(lowered(x.caption), lowered(${text})) > 0))`

/** The length of the beginning of a text. */
const NAME_CHARS = 120

/** Returns the beginning of the first text of each of these posts that exists, in any order. */
export const listPostNames = (
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; text: string }[]> =>
  listRows(
    database,
    `select p.scheduled_post_id as id, coalesce(left(x.caption, ${NAME_CHARS}), '') as text
       from unnest($2::text[]) as asked (id)
       join scheduled_posts p on p.organization_id = $1 and p.scheduled_post_id = asked.id
       left join lateral (
            select caption from scheduled_post_channels
             where organization_id = $1 and scheduled_post_id = p.scheduled_post_id and caption ~ '\\S'
             order by channel_id collate "C" limit 1) x on true`,
    [organizationId, ids],
  )

/** Lists the organization's posts with each of these addresses, last changed first, at most `limit` of each. */
export const listPostsWithMedia = (
  database: Queryable,
  organizationId: string,
  files: readonly { mediaId: string; url: string }[],
  limit: number,
): Promise<MediaUse[]> =>
  listRows(
    database,
    `select asked.id as "mediaId", used.scheduled_post_id as "scheduledPostId", used.status,
            coalesce(left(x.caption, ${NAME_CHARS}), '') as text
       from unnest($2::text[], $3::text[]) with ordinality as asked (id, url, place)
      cross join lateral (
            select p.scheduled_post_id, p.status, p.updated_at from scheduled_posts p
             where p.organization_id = $1 and p.media = asked.url
             order by p.updated_at desc, p.scheduled_post_id limit $4) used
       left join lateral (
            select caption from scheduled_post_channels
             where organization_id = $1 and scheduled_post_id = used.scheduled_post_id and caption ~ '\\S'
             order by channel_id collate "C" limit 1) x on true
      order by asked.place, used.updated_at desc, used.scheduled_post_id`,
    [organizationId, files.map(({ mediaId }) => mediaId), files.map(({ url }) => url), limit],
  )

/**
 * Lists the posts that wait for approval, soonest first, each with the beginning of its first text. With `approver`, only
 * those in whose channels this member may approve.
 */
export const listWaitingRows = (
  database: Queryable,
  organizationId: string,
  { rows, approver }: { rows: number; approver: string | null },
): Promise<{ id: string; text: string; scheduled_for: Date | null }[]> =>
  listRows(
    database,
    `select p.scheduled_post_id as id, p.scheduled_for,
            coalesce((select left(x.caption, 120) from scheduled_post_channels x
                       where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id and x.caption ~ '\\S'
                       order by x.channel_id collate "C" limit 1), '') as text
       from scheduled_posts p
      where p.organization_id = $1 and p.status = 'WAITING_FOR_APPROVAL'
        and ($3::text is null or member_may_for_post($1, $3, p.scheduled_post_id, 'approve'))
      order by p.list_time, p.scheduled_post_id collate "C" limit $2`,
    [organizationId, rows, approver],
  )
