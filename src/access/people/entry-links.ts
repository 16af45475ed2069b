import Joi from 'joi'
import { recordAccountAudit } from '../../audit/audit.store.js'
import type { Database, Queryable } from '../../database/database.js'
import { named, namedObject } from '../../http/named.js'
import type { Actor } from '../../http/principal.js'
import { invitationPath, signInPath } from '../../interface/entry-paths.js'
import type { EntryLink, Invitation } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { addStartLink, type InvitationRow, replaceEntryLink } from './invitations.store.js'
import { hasPeople, insertPerson, listAccounts } from './people.store.js'
import { roleName } from './person.js'

export const INVITATION_MS = 7 * 86_400_000
const OWNER_INVITATION_MS = 3_600_000
const SIGN_IN_LINK_MS = 15 * 60_000
/** Longer, because an email may be delayed. */
const MAILED_LINK_MS = 30 * 60_000
/** How long a session that starts with the link may set a password without the current one. */
export const SIGN_IN_LINK_PASSWORD_MS = 10 * 60_000

const fields = {
  id: Joi.string().required(),
  mail: Joi.string().required(),
  role: roleName.required(),
  mayApprove: Joi.boolean().required(),
  createdAt: Joi.string().isoDate().required(),
  expiresAt: Joi.string().isoDate().required(),
}

export const linkFields = {
  token: Joi.string().required().description('Only this response contains it.'),
  path: Joi.string()
    .required()
    .description('Append it to the address of the server and give it to the person. It works once.'),
}

export const invitationBody = namedObject('Invitation', fields)
export const issuedInvitationBody = named('IssuedInvitation', Joi.object({ ...fields, ...linkFields }))
export const entryLinkBody = named(
  'EntryLink',
  Joi.object({ ...linkFields, expiresAt: Joi.string().isoDate().required() }),
)

export const toInvitationBody = (row: InvitationRow): Invitation => ({
  id: row.invitation_id,
  mail: row.mail,
  role: row.role,
  mayApprove: row.may_approve,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})

/** Creates a link that makes a person an owner of the server. It replaces any earlier one. */
export async function issueOwnerLink(tx: Queryable, at: Date, createdBy: Actor): Promise<EntryLink> {
  const { link, row } = newLink(at, OWNER_INVITATION_MS, invitationPath)
  await replaceEntryLink(tx, { ...row, person_id: null }, createdBy)
  return link
}

/**
 * Creates a sign-in link and invalidates any earlier one. Called for an operator, or without `createdBy` for a person who
 * forgot their password and asks for an email.
 */
export async function issueSignInLink(
  tx: Queryable,
  personId: string,
  at: Date,
  createdBy?: Actor,
): Promise<EntryLink> {
  const { link, row } = newLink(at, createdBy === undefined ? MAILED_LINK_MS : SIGN_IN_LINK_MS, signInPath)
  await replaceEntryLink(tx, { ...row, person_id: personId }, createdBy)
  // It is unknown who asked: the server sends a link for any address that someone enters.
  const asked = { at, operation: 'requestPasswordLink' }
  if (createdBy === undefined) await recordAccountAudit(tx, { type: 'publisher' }, personId, asked)
  return link
}

/**
 * Creates a link for the first owner if the server has no people yet. Nodes that start at the same time each create
 * their own.
 */
export async function issueFirstOwnerLink(database: Database, at: Date): Promise<EntryLink | undefined> {
  if (await hasPeople(database)) return undefined
  const { link, row } = newLink(at, OWNER_INVITATION_MS, invitationPath)
  await database.transaction((tx) => addStartLink(tx, row))
  return link
}

function newLink(at: Date, ms: number, toPath: (token: string) => string) {
  const token = newToken()
  const expiresAt = new Date(at.getTime() + ms)
  const link: EntryLink = { token, path: toPath(token), expiresAt: expiresAt.toISOString() }
  return { link, row: { token_hash: hashToken(token), created_at: at, expires_at: expiresAt } }
}

/** Creates the person of the demo, an owner without a password, unless they exist. Returns their id. */
export async function makeDemoPerson(database: Database, at: Date): Promise<string> {
  return await database.transaction(async (tx) => {
    const person =
      (await listAccounts(tx, DEMO_PERSON.mail))[0] ??
      (await insertPerson(tx, { ...DEMO_PERSON, personId: newId('usr'), owner: true, passwordHash: null, at }))
    return person.person_id
  })
}

const DEMO_PERSON = { name: 'Demo', mail: 'demo@greenroom.example' }
