import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows } from '../../database/queries.js'

/** A post of a link, and what the link did to it. */
export interface LinkedPostRow {
  number: number
  scheduled_post_id: string
  /** The decision of the link's holder. */
  decision: 'approved' | 'rejected' | null
  /** The version of the post that the decision made. */
  decided_version: number | null
  /** True once the post no longer waits, without a decision of the holder. */
  ended: boolean
  /** True once the holder has returned the post and it waits again. */
  returned: boolean
}

interface PlaceKey {
  organizationId: string
  linkId: string
  scheduledPostId: string
}

const COLUMNS = 'number, scheduled_post_id, decision, decided_version, ended, returned'

/** Lists the posts of a link in order. */
export const listLinkedPosts = (
  database: Queryable,
  organizationId: string,
  linkId: string,
): Promise<LinkedPostRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from review_link_posts where organization_id = $1 and link_id = $2 order by number`,
    [organizationId, linkId],
  )

/** Finds a post of a link by its number. */
export const findLinkedPost = (
  database: Queryable,
  organizationId: string,
  linkId: string,
  number: number,
): Promise<LinkedPostRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS} from review_link_posts where organization_id = $1 and link_id = $2 and number = $3`,
    [organizationId, linkId, number],
  )

/** Stores the holder's decision, which makes this version; returns false if the post has left that round of approval. */
export const decideLinkedPost = (
  tx: Queryable,
  { organizationId, linkId, scheduledPostId }: PlaceKey,
  decision: 'approved' | 'rejected',
  version: number,
): Promise<boolean> =>
  hitsRow(
    tx,
    `update review_link_posts set decision = $4, decided_version = $5
      where organization_id = $1 and link_id = $2 and scheduled_post_id = $3 and decision is null and not ended`,
    [organizationId, linkId, scheduledPostId, decision, version],
  )

/** Undoes the holder's decision, so that the post can be decided again; returns false if there is none. */
export const reopenLinkedPost = (
  tx: Queryable,
  { organizationId, linkId, scheduledPostId }: PlaceKey,
): Promise<boolean> =>
  hitsRow(
    tx,
    `update review_link_posts set decision = null, decided_version = null
      where organization_id = $1 and link_id = $2 and scheduled_post_id = $3 and decision is not null`,
    [organizationId, linkId, scheduledPostId],
  )

/** Returns whether the holder of the link may decide about the post now, in a transaction that has locked the post. */
export const isLinkedPostOpen = (
  tx: Queryable,
  { organizationId, linkId, scheduledPostId }: PlaceKey,
): Promise<boolean> =>
  hitsRow(
    tx,
    `select from review_link_posts
      where organization_id = $1 and link_id = $2 and scheduled_post_id = $3 and decision is null and not ended`,
    [organizationId, linkId, scheduledPostId],
  )

/** The maker of a link, and the channels of its posts. */
export interface LinkChannelsRow {
  link_id: string
  made_by: string
  channels: { channel_id: string; name: string }[]
}

/** Lists the channels of these links' posts. */
export const listChannelsOfLinks = (
  database: Queryable,
  organizationId: string,
  linkIds: readonly string[],
): Promise<LinkChannelsRow[]> =>
  listRows(
    database,
    `select link_id, made_by, coalesce((
              select json_agg(json_build_object('channel_id', c.channel_id, 'name', c.name) order by c.channel_id)
                from channels c
               where c.organization_id = $1 and exists (
                       select from scheduled_post_channels x join review_link_posts i using (organization_id, scheduled_post_id)
                        where x.organization_id = $1 and x.channel_id = c.channel_id and i.link_id = l.link_id)), '[]') as channels
       from review_links l where organization_id = $1 and link_id = any($2::text[])`,
    [organizationId, linkIds],
  )
