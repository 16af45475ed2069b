import type { Queryable } from '../../database/database.js'
import { findRow, listRows, listValues } from '../../database/queries.js'
import { ApiError } from '../../errors.js'
import type { RecurrenceRule } from '../../interface/generated/types.js'
import type { PostStatus } from '../../interface/post-status.js'

type PostIds = [organizationId: string, scheduledPostId: string]

type SeriesIds = [organizationId: string, seriesId: string]

export interface SeriesRow {
  series_id: string
  rule: RecurrenceRule
  time_zone: string
  created_at: Date
  stopped_at: Date | null
}

export interface SeriesPostRow {
  scheduled_post_id: string
  status: PostStatus
  scheduled_for: Date | null
  place: number
}

const COLUMNS = 'series_id, rule, time_zone, created_at, stopped_at'

/** Writes a series with its posts; the others are copies of the first. */
export async function insertSeries(
  tx: Queryable,
  organizationId: string,
  { series_id, rule, time_zone, created_at }: SeriesRow,
  scheduledPostIds: readonly string[],
): Promise<void> {
  await tx.query(
    'insert into post_series (organization_id, series_id, rule, time_zone, created_at) values ($1, $2, $3, $4, $5)',
    [organizationId, series_id, JSON.stringify(rule), time_zone, created_at],
  )
  await tx.query(
    `insert into post_series_posts (organization_id, series_id, scheduled_post_id, place)
     select $1, $2, id, place - 1 from unnest($3::text[]) with ordinality as p (id, place)`,
    [organizationId, series_id, scheduledPostIds],
  )
}

/** Returns the series of a post. */
export const findSeriesOfPost = (database: Queryable, ...ids: PostIds): Promise<SeriesRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS} from post_series s
      where organization_id = $1 and exists (
              select from post_series_posts p
               where p.organization_id = $1 and p.series_id = s.series_id and p.scheduled_post_id = $2)`,
    ids,
  )

/** Removes a post from its series, which has been stopped. */
export async function leaveSeries(tx: Queryable, ...ids: PostIds): Promise<void> {
  await tx.query('delete from post_series_posts where organization_id = $1 and scheduled_post_id = $2', ids)
}

/** Lists the existing posts of a series, in its order. */
export const listSeriesPosts = (database: Queryable, ...ids: SeriesIds): Promise<SeriesPostRow[]> =>
  listRows(
    database,
    `select scheduled_post_id, status, scheduled_for, place
       from post_series_posts
       join scheduled_posts using (organization_id, scheduled_post_id)
      where organization_id = $1 and series_id = $2
      order by place`,
    ids,
  )

/** Lists the channels of a series' existing posts. */
export const listSeriesChannels = (tx: Queryable, ...ids: SeriesIds): Promise<{ channel_id: string; name: string }[]> =>
  listRows(
    tx,
    `select distinct c.channel_id, c.name
       from post_series_posts p
       join scheduled_post_channels x using (organization_id, scheduled_post_id)
       join channels c using (organization_id, channel_id)
      where organization_id = $1 and series_id = $2 order by c.channel_id`,
    ids,
  )

/** Locks the series until the transaction ends. Throws series_not_found. */
export async function lockSeries(tx: Queryable, organizationId: string, seriesId: string): Promise<SeriesRow> {
  const row = await findRow<SeriesRow>(
    tx,
    `select ${COLUMNS} from post_series where organization_id = $1 and series_id = $2 for update`,
    [organizationId, seriesId],
  )
  if (row === undefined) throw new ApiError('series_not_found')
  return row
}

export async function stopSeriesRow(tx: Queryable, ...values: [...ids: SeriesIds, at: Date]): Promise<void> {
  await tx.query('update post_series set stopped_at = $3 where organization_id = $1 and series_id = $2', values)
}

/**
 * Locks the future copies of a series that have not been decided yet, ordered by id, as every change of several posts does.
 */
export const lockUndecidedPosts = (tx: Queryable, ...values: [...ids: SeriesIds, now: Date]): Promise<string[]> =>
  listValues(
    tx,
    `select scheduled_post_id from scheduled_posts p
      where organization_id = $1 and status in ('DRAFT', 'WAITING_FOR_APPROVAL') and scheduled_for > $3
        and exists (
              select from post_series_posts s
               where s.organization_id = $1 and s.series_id = $2 and s.scheduled_post_id = p.scheduled_post_id
                 and s.place > 0)
        and not exists (
              select from post_reviews r where r.organization_id = $1 and r.scheduled_post_id = p.scheduled_post_id)
      order by scheduled_post_id for update of p`,
    values,
  )
