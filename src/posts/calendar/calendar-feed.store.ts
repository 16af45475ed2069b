import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, readValue } from '../../database/queries.js'
import type { Role } from '../../interface/generated/types.js'
import type { PostStatus } from '../../interface/post-status.js'

type PersonIds = [organizationId: string, personId: string]

/** A calendar address that works, and the rights of its person. */
export interface CalendarFeedRow {
  organization_id: string
  organization_name: string
  owner: boolean
  /** Null for an owner of the server who is no member. */
  role: Role | null
  may_approve: boolean
}

/** The feed with this token, as long as its person has an account in an active organization. */
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

/** When the person's address was made; undefined where there is none. */
export const findFeedOf = (database: Queryable, ...ids: PersonIds): Promise<Date | undefined> =>
  findValue(database, 'select created_at from calendar_feeds where organization_id = $1 and person_id = $2', ids)

/** Makes the person's address, in place of the one before. */
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

/** False where there is none. */
export const deleteCalendarFeed = (tx: Queryable, organizationId: string, personId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from calendar_feeds where organization_id = $1 and person_id = $2', [organizationId, personId])

/** From the first instant on, and before the second. */
type Window = readonly [from: Date, before: Date]

/** A number that differs when a post of the window, or the name of a channel, has changed. */
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

const TEXT_CHARS = 500

/** The soonest first. */
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
                   (array_agg(left(x.caption, ${TEXT_CHARS}) order by c.channel_id collate "C")
                      filter (where x.caption ~ '\\S'))[1] as text
              from scheduled_post_channels x join channels c using (organization_id, channel_id)
             where x.organization_id = $1 and x.scheduled_post_id = p.scheduled_post_id) x
      order by p.list_time, p.scheduled_post_id collate "C"`,
    [organizationId, ...window, rows],
  )
