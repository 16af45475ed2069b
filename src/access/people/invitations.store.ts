import { creatorColumns } from '../../audit/actor.js'
import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, listValues, readRow } from '../../database/queries.js'
import type { Actor } from '../../http/principal.js'
import type { Role } from '../../interface/generated/types.js'

export interface InvitationRow {
  organization_id: string
  invitation_id: string
  mail: string
  role: Role
  may_approve: boolean
  created_at: Date
  expires_at: Date
}

const COLUMNS = 'organization_id, invitation_id, mail, role, may_approve, created_at, expires_at'

/** `token_hash` is the SHA-256 of the token that the answer shows, `mail_token_hash` of the one that only the mail shows. */
export function insertInvitation(
  tx: Queryable,
  { organization_id: organizationId, ...rest }: InvitationRow & { token_hash: string; mail_token_hash: string | null },
  createdBy: Actor,
): Promise<InvitationRow> {
  const { columns, parameters, values } = insertion({ ...rest, ...creatorColumns(createdBy) }, 2)
  return readRow(
    tx,
    `insert into invitations (organization_id, ${columns}) values ($1, ${parameters}) returning ${COLUMNS}`,
    [organizationId, ...values],
  )
}

/** Those that can still be used, newest first. */
export const listInvitationRows = (database: Queryable, organizationId: string, now: Date): Promise<InvitationRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from invitations where organization_id = $1 and expires_at > $2
      order by created_at desc, invitation_id`,
    [organizationId, now],
  )

/** An invitation as the holder of one of its tokens has it. */
export interface HeldInvitationRow extends InvitationRow {
  /** True for the token of the mail: its holder reads the address. */
  proves_mail: boolean
}

/** An invitation that is used up, with its maker as the audit trail names them: `user:<id>`. */
export interface TakenInvitationRow extends HeldInvitationRow {
  made_by: string | null
}

/** One that can still be used, with the name of its organization. */
export const findInvitation = (
  database: Queryable,
  tokenHash: string,
  now: Date,
): Promise<(HeldInvitationRow & { organization_name: string }) | undefined> =>
  findRow(
    database,
    `select i.organization_id, invitation_id, mail, role, may_approve, i.created_at, expires_at,
            mail_token_hash is not distinct from $1 as proves_mail, name as organization_name
       from invitations i join organizations using (organization_id)
      where (token_hash = $1 or mail_token_hash = $1) and expires_at > $2 and deleted_at is null`,
    [tokenHash, now],
  )

/** Takes it out of the list, once: undefined for the second caller. */
export async function takeInvitation(
  tx: Queryable,
  tokenHash: string,
  now: Date,
): Promise<TakenInvitationRow | undefined> {
  // The membership will refer to it: a deletion of the organization waits here, or this waits for it.
  await tx.query(
    `select from organizations o
      where organization_id in (select organization_id from invitations where token_hash = $1 or mail_token_hash = $1)
        for key share`,
    [tokenHash],
  )
  return await findRow(
    tx,
    `delete from invitations where (token_hash = $1 or mail_token_hash = $1) and expires_at > $2
     returning organization_id, invitation_id, mail, role, may_approve, created_at, expires_at,
               mail_token_hash is not distinct from $1 as proves_mail,
               created_by_type || coalesce(':' || created_by_id, '') as made_by`,
    [tokenHash, now],
  )
}

/** False for one that is not there. */
export const deleteInvitation = (tx: Queryable, organizationId: string, invitationId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from invitations where organization_id = $1 and invitation_id = $2', [
    organizationId,
    invitationId,
  ])

/** Earlier invitations of the same person to the organization, and those whose time is over. */
export async function deleteStaleInvitations(
  tx: Queryable,
  organizationId: string,
  mail: string,
  now: Date,
): Promise<void> {
  await tx.query(
    'delete from invitations where organization_id = $1 and (lower(mail collate "C") = lower($2::text collate "C") or expires_at <= $3)',
    [organizationId, mail, now],
  )
}

interface EntryLinkRow {
  token_hash: string
  /** Without a person its holder becomes an owner. */
  person_id: string | null
  created_at: Date
  expires_at: Date
}

/**
 * Makes a link with which one person signs in, and ends earlier ones. A link that the person asked for has no maker, and
 * leaves the link that an operator made valid.
 */
export async function replaceEntryLink(tx: Queryable, link: EntryLinkRow, createdBy: Actor | undefined): Promise<void> {
  const { person_id: personId, created_at: now } = link
  if (createdBy === undefined) {
    await tx.query('delete from entry_links where person_id = $1 and created_by_type is null', [personId])
  } else {
    const earlier = 'delete from entry_links where person_id is not distinct from $1 or expires_at <= $2'
    await tx.query(earlier, [personId, now])
  }
  await insertEntryLink(tx, { ...link, ...(createdBy && creatorColumns(createdBy)) })
}

/** Each node that starts prints a link. More links than this come from a process that starts again and again. */
const START_LINKS_MAX = 20

/** Adds the link of a start without accounts. The links of other starts, and that of an operator, go on. */
export async function addStartLink(tx: Queryable, link: Omit<EntryLinkRow, 'person_id'>): Promise<void> {
  await tx.query(
    `delete from entry_links
      where person_id is null
        and (expires_at <= $1
             or token_hash in (select token_hash from entry_links
                                where person_id is null and created_by_type is null
                                order by created_at desc, token_hash offset $2))`,
    [link.created_at, START_LINKS_MAX - 1],
  )
  await insertEntryLink(tx, link)
}

async function insertEntryLink(tx: Queryable, link: Omit<EntryLinkRow, 'person_id'>): Promise<void> {
  const { columns, parameters, values } = insertion({ ...link })
  await tx.query(`insert into entry_links (${columns}) values (${parameters})`, values)
}

/** The link of a start is for the first owner, also where its node was just starting when that one got in. */
const USABLE_OWNER_LINK = `select from entry_links
  where token_hash = $1 and person_id is null and expires_at > $2
    and (created_by_type is not null or not exists (select from people where owner))`

/** True if the link of an owner can still be used. */
export const isOwnerLink = (database: Queryable, tokenHash: string, now: Date): Promise<boolean> =>
  hitsRow(database, USABLE_OWNER_LINK, [tokenHash, now])

/**
 * Takes the link of an owner, once. The links that starts have printed end with it: they were for the first owner.
 */
export async function takeOwnerLink(tx: Queryable, tokenHash: string, now: Date): Promise<boolean> {
  // One statement, so that of two owners with two links only one gets in by a link of a start.
  const taken = await listValues<string>(
    tx,
    `delete from entry_links
      where person_id is null and (token_hash = $1 or created_by_type is null)
        and exists (${USABLE_OWNER_LINK})
  returning token_hash`,
    [tokenHash, now],
  )
  return taken.includes(tokenHash)
}

/** Tells whose sign-in link it is; undefined for one that does not work. */
export const findSignInLink = (database: Queryable, tokenHash: string, now: Date): Promise<string | undefined> =>
  findValue(
    database,
    'select person_id from entry_links where token_hash = $1 and person_id is not null and expires_at > $2',
    [tokenHash, now],
  )

/** Takes a sign-in link, once: false for the second caller. */
export const takeSignInLink = (tx: Queryable, tokenHash: string): Promise<boolean> =>
  hitsRow(tx, 'delete from entry_links where token_hash = $1 and person_id is not null', [tokenHash])

/** Ends the links that let a person in. */
export async function deleteEntryLinks(tx: Queryable, personId: string): Promise<void> {
  await tx.query('delete from entry_links where person_id = $1', [personId])
}
