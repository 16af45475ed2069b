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

/** `token_hash` is the SHA-256 of the token in the response, and `mail_token_hash` that of the token in the email. */
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

/** Lists the open invitations, newest first. */
export const listInvitationRows = (database: Queryable, organizationId: string, now: Date): Promise<InvitationRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from invitations where organization_id = $1 and expires_at > $2
      order by created_at desc, invitation_id`,
    [organizationId, now],
  )

/** An invitation found by one of its tokens. */
export interface HeldInvitationRow extends InvitationRow {
  /** True for the token from the email: its holder can read email to the address. */
  proves_mail: boolean
}

/** A used invitation, with its creator in the form of the audit trail: `user:<id>`. */
export interface TakenInvitationRow extends HeldInvitationRow {
  made_by: string | null
}

/** Finds an open invitation, with the name of its organization. */
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

/** Uses up an invitation once: undefined for the second caller. */
export async function takeInvitation(
  tx: Queryable,
  tokenHash: string,
  now: Date,
): Promise<TakenInvitationRow | undefined> {
  // The membership will reference the organization: a deletion of it waits for us, or we wait for it.
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

/** Returns false if the invitation does not exist. */
export const deleteInvitation = (tx: Queryable, organizationId: string, invitationId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from invitations where organization_id = $1 and invitation_id = $2', [
    organizationId,
    invitationId,
  ])

/** Deletes earlier invitations of the same person to the organization, and all expired ones. */
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
  /** Null for a link whose holder becomes an owner. */
  person_id: string | null
  created_at: Date
  expires_at: Date
}

/**
 * Makes a sign-in link for a person and ends earlier ones. A link that the person asked for has no creator and does
 * not end a link that an operator made.
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

/** Each node prints a link when it starts. More links than this come from a process that restarts in a loop. */
const START_LINKS_MAX = 20

/** Adds a link for a start without accounts. Links of other starts and of an operator stay valid. */
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

/** A start's link is only for the first owner, even if its node was still starting when the first owner signed in. */
const USABLE_OWNER_LINK = `select from entry_links
  where token_hash = $1 and person_id is null and expires_at > $2
    and (created_by_type is not null or not exists (select from people where owner))`

export const isOwnerLink = (database: Queryable, tokenHash: string, now: Date): Promise<boolean> =>
  hitsRow(database, USABLE_OWNER_LINK, [tokenHash, now])

/**
 * Uses up an owner's link once. Also deletes the links that starts have printed, because they were for the first
 * owner.
 */
export async function takeOwnerLink(tx: Queryable, tokenHash: string, now: Date): Promise<boolean> {
  // One statement, so that only one of two people with links from starts becomes an owner.
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

/** Returns the person of a sign-in link; undefined if the link does not work. */
export const findSignInLink = (database: Queryable, tokenHash: string, now: Date): Promise<string | undefined> =>
  findValue(
    database,
    'select person_id from entry_links where token_hash = $1 and person_id is not null and expires_at > $2',
    [tokenHash, now],
  )

/** Uses up a sign-in link once: false for the second caller. */
export const takeSignInLink = (tx: Queryable, tokenHash: string): Promise<boolean> =>
  hitsRow(tx, 'delete from entry_links where token_hash = $1 and person_id is not null', [tokenHash])

export async function deleteEntryLinks(tx: Queryable, personId: string): Promise<void> {
  await tx.query('delete from entry_links where person_id = $1', [personId])
}
