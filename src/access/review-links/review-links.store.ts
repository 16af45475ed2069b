import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, listRows, readValue } from '../../database/queries.js'

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

export interface LiveReviewLinkRow extends ReviewLinkRow {
  opened_at: Date | null
  maker_name: string
  organization_name: string
  organization_active: boolean
  time_zone: string
}

const COLUMNS = 'l.organization_id, link_id, scheduled_post_id, l.name, l.mail, made_by, l.created_at, expires_at'

/** The right of the one who made a link: to approve, or to write for one that is sent. */
export const RIGHT_OF_LINK = `case when l.mail is null then 'approve' else 'send' end`

/**
 * A link works as long as the one who made it may approve in every channel of its post; one to several as long as they may
 * in any channel, because it is asked again about each post. One that was sent works as long as its maker may write, and
 * the address is among the organization's reviewers and is no member's.
 */
const LIVE = `
    from review_links l
    join organizations o using (organization_id)
    join people p on p.person_id = made_by
   where deleted_at is null and p.active
     and (p.owner
          or case when scheduled_post_id is null then member_may_anywhere(l.organization_id, made_by, ${RIGHT_OF_LINK})
                  else member_may_for_post(l.organization_id, made_by, scheduled_post_id, ${RIGHT_OF_LINK}) end)
     and (l.mail is null
          or l.mail = any (o.reviewers)
             and not exists (select from memberships x join people y on y.person_id = x.person_id
                              where x.organization_id = l.organization_id and lower(y.mail collate "C") = l.mail))`

/** The link with this token that works. */
export const findReviewLink = (
  database: Queryable,
  tokenHash: string,
  now: Date,
): Promise<LiveReviewLinkRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS}, opened_at, p.name as maker_name, o.name as organization_name, o.active as organization_active, time_zone
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

/** Makes a link, and deletes those of the post whose time is over: how many there are then. */
export async function insertReviewLink(tx: Queryable, link: NewReviewLinkRow): Promise<number> {
  await tx.query(
    'delete from review_links where organization_id = $1 and scheduled_post_id = $2 and expires_at <= $3',
    [link.organization_id, link.scheduled_post_id, link.created_at],
  )
  await insertLink(tx, link)
  return await readValue(
    tx,
    'select count(*)::int as many from review_links where organization_id = $1 and scheduled_post_id = $2',
    [link.organization_id, link.scheduled_post_id],
  )
}

/** Makes a link to several posts, which are put into it afterwards. */
export async function insertLink(tx: Queryable, link: NewReviewLinkRow): Promise<void> {
  const { organization_id: organizationId, ...rest } = link
  const { columns, parameters, values } = insertion(rest, 2)
  await tx.query(`insert into review_links (organization_id, ${columns}) values ($1, ${parameters})`, [
    organizationId,
    ...values,
  ])
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

/** A link of the organization that works, with the number of its posts and of those that are decided about. */
export interface ListedReviewLinkRow extends ReviewLinkRow {
  maker_name: string
  opened_at: Date | null
  posts: number
  decided: number
  /** Its creation as text, to the microsecond. */
  place: string
}

export type ReviewLinkPosition = readonly [createdAt: string, linkId: string]

/** The links of the organization that work, newest first, at most `rows` behind `after`. */
export const listAllReviewLinkRows = (
  database: Queryable,
  organizationId: string,
  { after, rows, now }: { after: ReviewLinkPosition | undefined; rows: number; now: Date },
): Promise<ListedReviewLinkRow[]> =>
  listRows(
    database,
    `select ${COLUMNS}, opened_at, p.name as maker_name, l.created_at::text as place,
            case when scheduled_post_id is null then
              (select count(*)::int from review_link_posts i where i.organization_id = $1 and i.link_id = l.link_id)
            else 1 end as posts,
            (select count(*)::int from review_link_posts i
              where i.organization_id = $1 and i.link_id = l.link_id and (decision is not null or ended)) as decided
     ${LIVE} and l.organization_id = $1 and expires_at > $2
       and (l.created_at, link_id) < (coalesce($3::text, 'infinity')::timestamptz, $4::text)
      order by l.created_at desc, link_id desc
      limit $5`,
    [organizationId, now, after?.[0] ?? null, after?.[1] ?? '', rows],
  )

/** Deletes a link to one post or several; with `madeBy` only one that this person made. */
export const deleteAnyReviewLink = (
  tx: Queryable,
  organizationId: string,
  linkId: string,
  madeBy: string | null,
): Promise<{ name: string; scheduled_post_id: string | null } | undefined> =>
  findRow(
    tx,
    `delete from review_links where organization_id = $1 and link_id = $2 and ($3::text is null or made_by = $3)
     returning name, scheduled_post_id`,
    [organizationId, linkId, madeBy],
  )

/** Notes that the holder has opened the link. */
export async function noteOpened(database: Queryable, organizationId: string, linkId: string, at: Date): Promise<void> {
  await database.query('update review_links set opened_at = $3 where organization_id = $1 and link_id = $2', [
    organizationId,
    linkId,
    at,
  ])
}
