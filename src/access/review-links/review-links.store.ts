import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, readValue } from '../../database/queries.js'

export interface ReviewLinkRow {
  organization_id: string
  link_id: string
  scheduled_post_id: string
  /** Whom it is for. */
  name: string
  /** The person who made it. */
  made_by: string
  created_at: Date
  expires_at: Date
}

export interface LiveReviewLinkRow extends ReviewLinkRow {
  maker_name: string
  organization_name: string
  organization_active: boolean
  time_zone: string
}

const COLUMNS = 'l.organization_id, link_id, scheduled_post_id, l.name, made_by, l.created_at, expires_at'

/** A link works as long as the one who made it may approve. */
const LIVE = `
    from review_links l
    join organizations o using (organization_id)
    join people p on p.person_id = made_by
    left join memberships m on m.organization_id = l.organization_id and m.person_id = made_by
   where deleted_at is null and p.active and (p.owner or m.may_approve)`

/** The link with this token that works. */
export const findReviewLink = (
  database: Queryable,
  tokenHash: string,
  now: Date,
): Promise<LiveReviewLinkRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS}, p.name as maker_name, o.name as organization_name, o.active as organization_active, time_zone
     ${LIVE} and token_hash = $1 and expires_at > $2`,
    [tokenHash, now],
  )

/** Locks a link that works until the transaction ends; false when it works no more. The post is locked before it. */
export const lockReviewLink = (tx: Queryable, organizationId: string, linkId: string, now: Date): Promise<boolean> =>
  hitsRow(tx, `select ${LIVE} and l.organization_id = $1 and link_id = $2 and expires_at > $3 for update of l`, [
    organizationId,
    linkId,
    now,
  ])

/** The links to a post that work, newest first. */
export const listReviewLinkRows = (
  database: Queryable,
  organizationId: string,
  scheduledPostId: string,
  now: Date,
): Promise<(ReviewLinkRow & { maker_name: string })[]> =>
  listRows(
    database,
    `select ${COLUMNS}, p.name as maker_name
     ${LIVE} and l.organization_id = $1 and scheduled_post_id = $2 and expires_at > $3
      order by l.created_at desc, link_id`,
    [organizationId, scheduledPostId, now],
  )

/** Makes a link, and deletes those of the post whose time is over: how many there are then. */
export async function insertReviewLink(tx: Queryable, link: ReviewLinkRow & { token_hash: string }): Promise<number> {
  await tx.query(
    'delete from review_links where organization_id = $1 and scheduled_post_id = $2 and expires_at <= $3',
    [link.organization_id, link.scheduled_post_id, link.created_at],
  )
  const { organization_id: organizationId, ...rest } = link
  const { columns, parameters, values } = insertion(rest, 2)
  await tx.query(`insert into review_links (organization_id, ${columns}) values ($1, ${parameters})`, [
    organizationId,
    ...values,
  ])
  return await readValue(
    tx,
    'select count(*)::int as many from review_links where organization_id = $1 and scheduled_post_id = $2',
    [organizationId, link.scheduled_post_id],
  )
}

/** Whom it was for; undefined for one that is not there. */
export const deleteReviewLink = (
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
  linkId: string,
): Promise<string | undefined> =>
  findValue(
    tx,
    `delete from review_links where organization_id = $1 and scheduled_post_id = $2 and link_id = $3 returning name`,
    [organizationId, scheduledPostId, linkId],
  )
