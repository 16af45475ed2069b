import type { Queryable } from '../../database/database.js'
import { listRows, listValues, readRow } from '../../database/queries.js'
import { POSTS_OF_LINK, RIGHT_OF_LINK } from '../review-links/review-links.store.js'

/** A person and the operator tokens they issued, to find what these created. */
export interface Maker {
  personId: string
  /** Names of the tokens. */
  tokens: readonly string[]
  /** Null for all organizations. */
  organizationId: string | null
}

export interface EndedInvitationRow {
  organization_id: string
  invitation_id: string
  /** False if it had already expired. */
  open: boolean
}

export interface EndedReviewLinkRow {
  organization_id: string
  link_id: string
  name: string
}

export interface GrantedKeyRow {
  organization_id: string
  key_id: string
  name: string
  created_at: Date
  last_used_at: Date | null
}

export interface GrantCounts {
  invitations: number
  review_links: number
  sign_in_links: number
}

const BY_TOKEN = `created_by_type = 'operator' and created_by_id = any($2::text[])`
const BY_PERSON = `created_by_type = 'user' and created_by_id = $1`

/** True if the person still has, in the organization of a row, the right to make the row. */
const mayStill = (row: string, right: string): string =>
  `exists (select from people p
             left join memberships m on m.person_id = p.person_id and m.organization_id = ${row}.organization_id
            where p.person_id = $1 and p.active and (p.owner or ${right}))`

const MAY_FOR_POST = `member_may_for_post(l.organization_id, $1, i.scheduled_post_id, ${RIGHT_OF_LINK})`

/** Takes the right in every channel of at least one post, and of every post that is not decided. */
const LINK_RIGHT = `
  exists (select from ${POSTS_OF_LINK} and ${MAY_FOR_POST})
  and not exists (select from ${POSTS_OF_LINK} and i.decision is null and not i.ended and not ${MAY_FOR_POST})`

/**
 * Lists the names of operator tokens that the person issued, directly or through such a token, including revoked
 * ones.
 */
export const listTokensIssuedBy = (database: Queryable, personId: string): Promise<string[]> =>
  listValues(
    database,
    `with recursive issued (name) as (
       select name from operator_tokens where ${BY_PERSON}
        union
       select t.name from operator_tokens t join issued on created_by_type = 'operator' and created_by_id = issued.name
     )
     select name from issued order by name`,
    [personId],
  )

/** Returns the names whose operator token is live. */
export const listLiveTokens = (database: Queryable, names: readonly string[], now: Date): Promise<string[]> =>
  listValues(
    database,
    `select name from operator_tokens
      where name = any($1::text[]) and revoked_at is null and (expires_at is null or expires_at > $2) order by name`,
    [names, now],
  )

/** Counts what is open. `stays` means that the person keeps every right, as an owner does without a membership. */
export const countGrants = (
  database: Queryable,
  { personId, tokens, organizationId }: Maker,
  { mail, stays, now }: { mail: string; stays: boolean; now: Date },
): Promise<GrantCounts> =>
  readRow(
    database,
    `select (select count(*)::int from invitations
              where coalesce($3, organization_id) = organization_id and expires_at > $6
                and ((${BY_PERSON} and not $5) or (${BY_TOKEN}) or lower(mail collate "C") = lower($4::text collate "C"))) as invitations,
            (select count(*)::int from review_links
              where coalesce($3, organization_id) = organization_id and expires_at > $6 and ended_why is null
                and made_by = $1 and not $5) as review_links,
            (select count(*)::int from entry_links
              where $3::text is null and expires_at > $6
                and ((${BY_PERSON}) or (${BY_TOKEN}) or person_id = $1)) as sign_in_links`,
    [personId, tokens, organizationId, mail, stays, now],
  )

/**
 * Deletes the invitations that the person may no longer make, those made with the tokens, and any for the email
 * address.
 */
export const deleteInvitationsOf = (
  tx: Queryable,
  { personId, tokens, organizationId }: Maker,
  { mail, now }: { mail: string | null; now: Date },
): Promise<EndedInvitationRow[]> =>
  listRows(
    tx,
    `delete from invitations i
      where coalesce($3, organization_id) = organization_id
        and ((${BY_PERSON} and not ${mayStill('i', `m.role = 'ADMIN'`)}) or (${BY_TOKEN}) or lower(mail collate "C") = lower($4::text collate "C"))
      returning organization_id, invitation_id, expires_at > $5 as open`,
    [personId, tokens, organizationId, mail, now],
  )

/**
 * Locks the posts of the person's links. Must come before the links, as in a decision, and before a membership is
 * deleted.
 */
export async function lockLinkedPosts(
  tx: Queryable,
  { personId, organizationId }: Omit<Maker, 'tokens'>,
  now: Date,
): Promise<void> {
  await tx.query(
    `select from scheduled_posts
      where (organization_id, scheduled_post_id) in (
              select organization_id, scheduled_post_id
                from review_links join review_link_posts i using (organization_id, link_id)
               where made_by = $1 and coalesce($2, organization_id) = organization_id
                 and ended_why is null and expires_at > $3 and not i.ended)
      order by organization_id, scheduled_post_id
        for update`,
    [personId, organizationId, now],
  )
}

/** Ends the review links that the person may no longer make. */
export async function endReviewLinksOf(
  tx: Queryable,
  { personId, organizationId }: Omit<Maker, 'tokens'>,
  now: Date,
): Promise<EndedReviewLinkRow[]> {
  await lockLinkedPosts(tx, { personId, organizationId }, now)
  return await listRows(
    tx,
    `update review_links l set ended_why = 'maker', expires_at = $3
      where made_by = $1 and coalesce($2, organization_id) = organization_id and not ${mayStill('l', LINK_RIGHT)}
        and ended_why is null and expires_at > $3
      returning organization_id, link_id, name`,
    [personId, organizationId, now],
  )
}

/** Deletes sign-in and owner links: those that the person made unless `stays`, and with `own` those for the person. */
export async function deleteEntryLinksOf(
  tx: Queryable,
  { personId, tokens }: Maker,
  { stays, own, now }: { stays: boolean; own: boolean; now: Date },
): Promise<number> {
  const open = await listValues<boolean>(
    tx,
    `delete from entry_links
      where (${BY_PERSON} and not $3) or (${BY_TOKEN}) or ($4 and person_id = $1)
      returning expires_at > $5 as open`,
    [personId, tokens, stays, own, now],
  )
  return open.filter(Boolean).length
}

/** Lists the live keys that the person or the tokens issued, and those issued with these keys, oldest first. */
export const listKeysIssuedBy = (
  database: Queryable,
  { personId, tokens, organizationId }: Maker,
  now: Date,
): Promise<GrantedKeyRow[]> =>
  listRows(
    database,
    `with recursive issued (organization_id, key_id) as (
       select organization_id, key_id from api_keys
        where ((${BY_PERSON}) or (${BY_TOKEN})) and coalesce($3, organization_id) = organization_id
        union
       select k.organization_id, k.key_id
         from api_keys k join issued i
           on k.organization_id = i.organization_id and created_by_type = 'key' and created_by_id = i.key_id
     )
     select k.organization_id, k.key_id, k.name, k.created_at, u.last_used_at
       from issued join api_keys k using (organization_id, key_id) join organizations o using (organization_id)
       left join key_uses u on u.organization_id = k.organization_id and u.key_id = k.key_id
      where revoked_at is null and (expires_at is null or expires_at > $4) and deleted_at is null
      order by k.created_at, k.key_id`,
    [personId, tokens, organizationId, now],
  )
