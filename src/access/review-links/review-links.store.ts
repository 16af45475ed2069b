import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, listRows, readRow } from '../../database/queries.js'
import type { EndedReviewLink } from '../../interface/generated/types.js'

export interface ReviewLinkRow {
  organization_id: string
  link_id: string
  /** The name of the person that the link is for. */
  name: string
  /** The folded address that the link was sent to; null if its maker hands it over. */
  mail: string | null
  /** The person who made the link. */
  made_by: string
  created_at: Date
  expires_at: Date
}

type NewReviewLinkRow = ReviewLinkRow & { token_hash: string }

/** How long ended links are listed. After that they are deleted when the next link is made. */
const ENDED_DAYS = 30

export interface LiveReviewLinkRow extends ReviewLinkRow {
  maker_name: string
  organization_name: string
  organization_active: boolean
  time_zone: string
}

const COLUMNS = 'l.organization_id, link_id, l.name, l.mail, made_by, l.created_at, expires_at'

/** The right that the link's maker needs: to approve, or to write for a link that was sent. */
export const RIGHT_OF_LINK = `case when l.mail is null then 'approve' else 'send' end`

export const POSTS_OF_LINK = `review_link_posts i where i.organization_id = l.organization_id and i.link_id = l.link_id`

const LINKS = `
    from review_links l
    join organizations o using (organization_id)
    join people p on p.person_id = made_by`

const MAKER_MAY = `p.active and exists (
         select from ${POSTS_OF_LINK}
            and (p.owner or member_may_for_post(l.organization_id, made_by, i.scheduled_post_id, ${RIGHT_OF_LINK})))`

/** Always true for a link that its maker hands over. */
const REVIEWER_MAY = `(l.mail is null or l.mail = any (o.reviewers)
       and not exists (select from memberships x join people y on y.person_id = x.person_id
                        where x.organization_id = l.organization_id and lower(y.mail collate "C") = l.mail))`

/**
 * The condition for a link to work: it has not ended, and its maker may approve in every channel of at least one of
 * its posts. Each decision about a post checks the right again. A link that was sent works while its maker may write,
 * and the address is among the organization's reviewers and is not a member's.
 */
const WORKS = `ended_why is null and ${MAKER_MAY} and ${REVIEWER_MAY}`
const LIVE = `${LINKS}
   where deleted_at is null and ${WORKS}`

/** Finds a working link by its token. */
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
 * Locks a working link until the transaction ends. Returns whether its maker has the right in every channel of the
 * post, which must be locked before; undefined if the link no longer works.
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

/** Inserts a link to these posts, in this order, and deletes the organization's links that ended long ago. */
export async function insertReviewLink(
  tx: Queryable,
  link: NewReviewLinkRow,
  scheduledPostIds: readonly string[],
): Promise<void> {
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
  await tx.query(
    `insert into review_link_posts (organization_id, link_id, number, scheduled_post_id)
     select $1, $2, number, scheduled_post_id from unnest($3::text[]) with ordinality as given (scheduled_post_id, number)`,
    [organizationId, link.link_id, scheduledPostIds],
  )
}

/** Counts the open links: those of the organization, and those of the post that has the most. */
export const countReviewLinks = (
  tx: Queryable,
  organizationId: string,
  scheduledPostIds: readonly string[],
  now: Date,
): Promise<{ of_organization: number; of_post: number }> =>
  readRow(
    tx,
    `with live as (select link_id from review_links l
                    where organization_id = $1 and ended_why is null and expires_at > $3 and exists (select from ${POSTS_OF_LINK})),
          of_posts as (select count(*)::int as many from review_link_posts join live using (link_id)
                        where organization_id = $1 and scheduled_post_id = any ($2::text[]) group by scheduled_post_id)
     select (select count(*)::int from live) as of_organization,
            (select coalesce(max(many), 0) from of_posts) as of_post`,
    [organizationId, scheduledPostIds, now],
  )

/** A link with the number of its posts and of its decided posts. */
export interface ListedReviewLinkRow extends ReviewLinkRow {
  maker_name: string
  opened_at: Date | null
  posts: number
  decided: number
  /** The post, if the link has only one. */
  only_post: string | null
  /** Null for a working link. */
  why: EndedReviewLink['why'] | null
  /** The creation instant as text, to the microsecond. */
  place: string
}

export type ReviewLinkPosition = readonly [createdAt: string, linkId: string]

const ENDED = `expires_at > $2::timestamptz - interval '${ENDED_DAYS} days' and (expires_at <= $2 or (${WORKS}) is not true)`

interface AskedReviewLinks {
  after: ReviewLinkPosition | undefined
  rows: number
  ended: boolean
  /** Only links to this post. */
  scheduledPostId: string | undefined
  now: Date
}

/**
 * Lists the working links of the organization, or those that ended in the last 30 days, newest first, at most `rows`
 * after `after`. Links are left out if all their posts are deleted.
 */
export const listReviewLinkRows = (
  database: Queryable,
  organizationId: string,
  { after, rows, ended, scheduledPostId, now }: AskedReviewLinks,
): Promise<ListedReviewLinkRow[]> =>
  listRows(
    database,
    `select ${COLUMNS}, opened_at, p.name as maker_name, l.created_at::text as place, posts, decided, only_post,
            case when ended_why is not null then ended_why when expires_at <= $2 then 'expired'
                 when (${MAKER_MAY}) is not true then 'maker' when not ${REVIEWER_MAY} then 'reviewer' end as why
     ${LINKS}
     cross join lateral (
       select count(*)::int as posts, (count(*) filter (where decision is not null or i.ended))::int as decided,
              case when count(*) = 1 then min(scheduled_post_id) end as only_post
         from ${POSTS_OF_LINK}) counted
      where deleted_at is null and l.organization_id = $1 and ${ended ? ENDED : `expires_at > $2 and ${WORKS}`}
        and posts > 0 and ($6::text is null or exists (select from ${POSTS_OF_LINK} and scheduled_post_id = $6))
        and (l.created_at, link_id) < (coalesce($3::text, 'infinity')::timestamptz, $4::text)
      order by l.created_at desc, link_id desc
      limit $5`,
    [organizationId, now, after?.[0] ?? null, after?.[1] ?? '', rows, scheduledPostId ?? null],
  )

/** Revokes an open link and returns the name it was for. `madeBy` restricts it to links of this person. */
export const revokeReviewLinkRow = (
  tx: Queryable,
  organizationId: string,
  linkId: string,
  { madeBy, at }: { madeBy: string | null; at: Date },
): Promise<string | undefined> =>
  findValue(
    tx,
    `update review_links set ended_why = 'revoked', expires_at = $4
      where organization_id = $1 and link_id = $2 and ($3::text is null or made_by = $3)
        and ended_why is null and expires_at > $4
     returning name`,
    [organizationId, linkId, madeBy, at],
  )

/** Records that the holder has opened the link. */
export async function noteOpened(database: Queryable, organizationId: string, linkId: string, at: Date): Promise<void> {
  await database.query('update review_links set opened_at = $3 where organization_id = $1 and link_id = $2', [
    organizationId,
    linkId,
    at,
  ])
}
