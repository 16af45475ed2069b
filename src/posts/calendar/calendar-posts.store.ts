import type { Queryable } from '../../database/database.js'
import { listRows } from '../../database/queries.js'
import type { ChannelType } from '../../interface/generated/types.js'
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
  /** The beginning of the first text that it has. */
  text: string | null
  channels: { id: string; type: ChannelType; name: string }[] | null
  /** The threads of its discussion that are not resolved. */
  open_messages: number
  /** As it is stored; null for a post that is not late. */
  wait_reason: WaitReason | null
}

const TEXT_CHARS = 120

/** The same posts as listScheduledPostRows gives, with what a calendar shows of them. */
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
