import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, listRows, readValue } from '../../database/queries.js'
import type { EndedReviewLink } from '../../interface/generated/types.js'

export interface ReviewLinkRow {
  organization_id: string
  link_id: string
  /** Null for a link to several posts. */
  scheduled_post_id: string | null
  /** Whom it is for. */
  name: string
  /** The address to which it was sent, folded; null for one that its maker hands over. */
  mail: string | null
  /** The person who made it. */
  made_by: string
  created_at: Date
  expires_at: Date
}

type NewReviewLinkRow = ReviewLinkRow & { token_hash: string }

/** Links that have ended are listed for so long, and then deleted when the next one is made. */
const ENDED_DAYS = 30

export interface LiveReviewLinkRow extends ReviewLinkRow {
  maker_name: string
  organization_name: string
  organization_active: boolean
  time_zone: string
}

const COLUMNS = 'l.organization_id, link_id, scheduled_post_id, l.name, l.mail, made_by, l.created_at, expires_at'

/** The right of the one who made a link: to approve, or to write for one that is sent. */
export const RIGHT_OF_LINK = `case when l.mail is null then 'approve' else 'send' end`

const LINKS = `
    from review_links l
    join organizations o using (organization_id)
    join people p on p.person_id = made_by`

const MAKER_MAY = `p.active
       and (p.owner
            or case when scheduled_post_id is null then member_may_anywhere(l.organization_id, made_by, ${RIGHT_OF_LINK})
                    else member_may_for_post(l.organization_id, made_by, scheduled_post_id, ${RIGHT_OF_LINK}) end)`

/** True for a link that its maker hands over. */
const REVIEWER_MAY = `(l.mail is null or l.mail = any (o.reviewers)
       and not exists (select from memberships x join people y on y.person_id = x.person_id
                        where x.organization_id = l.organization_id and lower(y.mail collate "C") = l.mail))`

/**
 * A link works until it ends, as long as the one who made it may approve in every channel of its post; one to several as
 * long as they may in any channel, because it is asked again about each post. One that was sent works as long as its maker
 * may write, and the address is among the organization's reviewers and is no member's.
 */
const WORKS = `ended_why is null and ${MAKER_MAY} and ${REVIEWER_MAY}`
const LIVE = `${LINKS}
   where deleted_at is null and ${WORKS}`

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

/**
 * Locks a link that works until the transaction ends, and tells whether its maker has the right in every channel of the
 * post, which is locked before; undefined when the link works no more.
 */
export const lockReviewLink = (
  tx: Queryable,
  organizationId: string,
  { linkId, scheduledPostId, now }: { linkId: string; scheduledPostId: string; now: Date },
): Promise<boolean | undefined> =>
  findValue(
    tx,
    `select p.owner or member_may_for_post(l.organization_id, made_by, $4, ${RIGHT_OF_LINK})
     ${LIVE} and l.organization_id = $1 and link_id = $2 and expires_at > $3 for update of l`,
    [organizationId, linkId, now, scheduledPostId],
  )

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

/** Makes a link: how many of the post have not ended then. */
export async function insertReviewLink(tx: Queryable, link: NewReviewLinkRow): Promise<number> {
  await insertLink(tx, link)
  return await readValue(
    tx,
    `select count(*)::int as many from review_links
      where organization_id = $1 and scheduled_post_id = $2 and ended_why is null and expires_at > $3`,
    [link.organization_id, link.scheduled_post_id, link.created_at],
  )
}

/**
 * Makes a link, and deletes those of the organization that have ended long ago. The posts of a link to several are put
 * into it afterwards.
 */
export async function insertLink(tx: Queryable, link: NewReviewLinkRow): Promise<void> {
  const { organization_id: organizationId, ...rest } = link
  await tx.query(
    `delete from review_links where organization_id = $1 and expires_at <= $2::timestamptz - interval '${ENDED_DAYS} days'`,
    [organizationId, link.created_at],
  )
  const { columns, parameters, values } = insertion(rest, 2)
  await tx.query(`insert into review_links (organization_id, ${columns}) values ($1, ${parameters})`, [
    organizationId,
    ...values,
  ])
}

/** Counts the links to several posts that have not ended. */
export const countLinksToSeveral = (tx: Queryable, organizationId: string, now: Date): Promise<number> =>
  readValue(
    tx,
    `select count(*)::int from review_links
      where organization_id = $1 and scheduled_post_id is null and ended_why is null and expires_at > $2`,
    [organizationId, now],
  )

/** Revokes a link to a post: whom it was for; undefined for one that is not there, or has ended. */
export const revokeReviewLinkRow = (
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
  linkId: string,
  at: Date,
): Promise<string | undefined> =>
  findValue(
    tx,
    `update review_links set ended_why = 'revoked', expires_at = $4
      where organization_id = $1 and scheduled_post_id = $2 and link_id = $3 and ended_why is null and expires_at > $4
      returning name`,
    [organizationId, scheduledPostId, linkId, at],
  )

/** Ends a link to one post by the decision of its holder. */
export async function endByDecision(
  tx: Queryable,
  { organizationId, linkId }: { organizationId: string; linkId: string },
  why: 'approved' | 'returned',
  at: Date,
): Promise<void> {
  await tx.query(
    `update review_links set ended_why = $3, expires_at = least(expires_at, $4)
      where organization_id = $1 and link_id = $2 and ended_why is null`,
    [organizationId, linkId, why, at],
  )
}

/** A link of the organization, with the number of its posts and of those that are decided about. */
export interface ListedReviewLinkRow extends ReviewLinkRow {
  maker_name: string
  opened_at: Date | null
  posts: number
  decided: number
  /** Null for a link that works. */
  why: EndedReviewLink['why'] | null
  /** Its creation as text, to the microsecond. */
  place: string
}

export type ReviewLinkPosition = readonly [createdAt: string, linkId: string]

const ENDED = `expires_at > $2::timestamptz - interval '${ENDED_DAYS} days' and (expires_at <= $2 or (${WORKS}) is not true)`

/**
 * The links of the organization that work, or those that have ended in the last 30 days, newest first, at most `rows`
 * behind `after`.
 */
export const listAllReviewLinkRows = (
  database: Queryable,
  organizationId: string,
  asked: { after: ReviewLinkPosition | undefined; rows: number; ended: boolean; now: Date },
): Promise<ListedReviewLinkRow[]> =>
  listRows(
    database,
    `select ${COLUMNS}, opened_at, p.name as maker_name, l.created_at::text as place,
            case when scheduled_post_id is null then
              (select count(*)::int from review_link_posts i where i.organization_id = $1 and i.link_id = l.link_id)
            else 1 end as posts,
            (select count(*)::int from review_link_posts i
              where i.organization_id = $1 and i.link_id = l.link_id and (decision is not null or i.ended))
            + coalesce(ended_why in ('approved', 'returned', 'over'), false)::int as decided,
            case when ended_why is not null then ended_why when expires_at <= $2 then 'expired'
                 when (${MAKER_MAY}) is not true then 'maker' when not ${REVIEWER_MAY} then 'reviewer' end as why
     ${LINKS}
      where deleted_at is null and l.organization_id = $1 and ${asked.ended ? ENDED : `expires_at > $2 and ${WORKS}`}
        and (l.created_at, link_id) < (coalesce($3::text, 'infinity')::timestamptz, $4::text)
      order by l.created_at desc, link_id desc
      limit $5`,
    [organizationId, asked.now, asked.after?.[0] ?? null, asked.after?.[1] ?? '', asked.rows],
  )

/** Revokes a link to one post or several that has not ended; with `madeBy` only one that this person made. */
export const revokeAnyReviewLink = (
  tx: Queryable,
  organizationId: string,
  linkId: string,
  { madeBy, at }: { madeBy: string | null; at: Date },
): Promise<{ name: string; scheduled_post_id: string | null } | undefined> =>
  findRow(
    tx,
    `update review_links set ended_why = 'revoked', expires_at = $4
      where organization_id = $1 and link_id = $2 and ($3::text is null or made_by = $3)
        and ended_why is null and expires_at > $4
     returning name, scheduled_post_id`,
    [organizationId, linkId, madeBy, at],
  )

/** Notes that the holder has opened the link. */
export async function noteOpened(database: Queryable, organizationId: string, linkId: string, at: Date): Promise<void> {
  await database.query('update review_links set opened_at = $3 where organization_id = $1 and link_id = $2', [
    organizationId,
    linkId,
    at,
  ])
}
