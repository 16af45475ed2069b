import type { Queryable } from '../database/database.js'
import { findRow, listRows } from '../database/queries.js'
import type { AutomationMode } from '../interface/automation.js'
import type { ChannelType, Superpower } from '../interface/generated/types.js'
import type { WorkTable } from '../work/claims.store.js'

export interface AutomationPostKey {
  organization_id: string
  scheduled_post_id: string
  channel_id: string
}

/** Posts whose comments are read from the platform repeatedly. */
export const POLLED_POSTS: WorkTable = {
  name: 'automation_posts',
  key: ['organization_id', 'scheduled_post_id', 'channel_id'],
  columns: `t.organization_id, t.scheduled_post_id, t.channel_id, t.external_id, t.commented_id, t.published_at,
            t.polled_at, t.newest_comment_at, t.attempts`,
  // Readings of one organization, which may be long, leave room for the others.
  fair: { by: 'organization_id', max: 3, among: 'select organization_id from organizations' },
}

/**
 * The effective mode on a channel `c` of an organization `o`: each can only restrict the other. A deleted channel and an
 * inactive organization do nothing.
 */
export const MODE = `
  case when c.automation = 'off' or o.automation = 'off' or not o.active or c.deleted_at is not null then 'off'
       when c.automation = 'shadow' or o.automation = 'shadow' then 'shadow'
       else 'on' end`

/** Everything that decides what a comment on a post leads to. */
export interface ActingPost extends AutomationPostKey {
  type: ChannelType
  superpower: Superpower | null
  mode: AutomationMode
  /** Comments older than this are ignored. */
  since: Date | null
  automated_notice: string | null
  is_stopped: boolean
}

/**
 * Finds and locks the post that comments on this object are about, with what currently decides about it. Undefined if there
 * is none.
 */
export const lockPostOfObject = (
  tx: Queryable,
  { organization_id, channel_id, object_id }: { organization_id: string; channel_id: string; object_id: string },
): Promise<ActingPost | undefined> =>
  findRow(
    tx,
    `select p.organization_id, p.scheduled_post_id, p.channel_id, c.type, x.superpower, ${MODE} as mode,
            greatest(c.automation_since, o.automation_since) as since, c.automated_notice,
            exists (select from automation_stops s
                     where s.organization_id = p.organization_id and s.scheduled_post_id = p.scheduled_post_id
                       and s.channel_id = p.channel_id) as is_stopped
       from automation_posts p
       join scheduled_post_channels x using (organization_id, scheduled_post_id, channel_id)
       join channels c using (organization_id, channel_id)
       join organizations o using (organization_id)
      where p.organization_id = $1 and p.channel_id = $2 and (p.external_id = $3 or p.commented_id = $3)
      order by p.published_at limit 1
        for update of p`,
    [organization_id, channel_id, object_id],
  )

/** Records the newest comment seen on a post; never moves back. */
export async function noteNewestComment(tx: Queryable, post: AutomationPostKey, at: Date): Promise<void> {
  await tx.query(
    `update automation_posts set newest_comment_at = greatest(newest_comment_at, $4)
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [post.organization_id, post.scheduled_post_id, post.channel_id, at],
  )
}

export interface PolledPost extends AutomationPostKey {
  type: ChannelType
  mode: AutomationMode
  superpower: Superpower | null
  media_type: string | null
  page_id: string | null
  access_token_sealed: string | null
  token_problem: string | null
  is_stopped: boolean
}

/** Returns what reading the comments of a post needs; undefined for a post that no longer exists. */
export const findPolledPost = (database: Queryable, post: AutomationPostKey): Promise<PolledPost | undefined> =>
  findRow(
    database,
    `select p.organization_id, p.scheduled_post_id, p.channel_id, c.type, ${MODE} as mode, x.superpower,
            d.media_type, c.page_id, c.access_token_sealed, c.token_problem,
            exists (select from automation_stops s
                     where s.organization_id = p.organization_id and s.scheduled_post_id = p.scheduled_post_id
                       and s.channel_id = p.channel_id) as is_stopped
       from automation_posts p
       join scheduled_post_channels x using (organization_id, scheduled_post_id, channel_id)
       join scheduled_posts d using (organization_id, scheduled_post_id)
       join channels c using (organization_id, channel_id)
       join organizations o using (organization_id)
      where p.organization_id = $1 and p.scheduled_post_id = $2 and p.channel_id = $3`,
    [post.organization_id, post.scheduled_post_id, post.channel_id],
  )

/** Returns those of these ids whose comments are already in the ledger. */
export const listDecided = async (
  database: Queryable,
  organizationId: string,
  channelId: string,
  commentIds: readonly string[],
): Promise<Set<string>> => {
  const rows = await listRows<{ comment_id: string }>(
    database,
    `select comment_id from automation_comments
      where organization_id = $1 and channel_id = $2 and comment_id = any($3::text[])`,
    [organizationId, channelId, commentIds],
  )
  return new Set(rows.map(({ comment_id }) => comment_id))
}

/** Stores the id under which a post is commented, if it was published under another. */
export async function setCommentedId(tx: Queryable, post: AutomationPostKey, commentedId: string): Promise<void> {
  await tx.query(
    `update automation_posts set commented_id = $4
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3`,
    [post.organization_id, post.scheduled_post_id, post.channel_id, commentedId],
  )
}
