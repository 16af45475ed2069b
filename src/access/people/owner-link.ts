import type { Database, Queryable } from '../../database/database.js'
import type { Actor } from '../../http/principal.js'
import type { EntryLink } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { recordAccountAudit } from '../audit.store.js'
import { invitationPath, MAILED_LINK_MS, OWNER_INVITATION_MS, SIGN_IN_LINK_MS, signInPath } from './invitation.js'
import { addStartLink, replaceEntryLink, replaceMailedLink } from './invitations.store.js'
import { hasPeople, insertPerson, listAccounts } from './people.store.js'

/** The link by which a person becomes an owner of the server, in place of an earlier one. */
export async function issueOwnerLink(tx: Queryable, at: Date, createdBy: Actor): Promise<EntryLink> {
  const { link, row } = newLink(at, OWNER_INVITATION_MS, invitationPath)
  await replaceEntryLink(tx, { ...row, person_id: null }, createdBy)
  return link
}

/** The link that lets a person in, in place of an earlier one. */
export async function issueSignInLink(tx: Queryable, personId: string, at: Date, createdBy: Actor): Promise<EntryLink> {
  const { link, row } = newLink(at, SIGN_IN_LINK_MS, signInPath)
  await replaceEntryLink(tx, { ...row, person_id: personId }, createdBy)
  return link
}

/** The link that a person has asked for who has forgotten the password; an earlier one of these ends. */
export async function issueMailedLink(tx: Queryable, personId: string, at: Date): Promise<EntryLink> {
  const { link, row } = newLink(at, MAILED_LINK_MS, signInPath)
  await replaceMailedLink(tx, { ...row, person_id: personId })
  // No one is known to have asked: the server answers to anyone who names an address.
  await recordAccountAudit(tx, { type: 'publisher' }, personId, { at, operation: 'requestPasswordLink' })
  return link
}

/**
 * Makes the link for the first owner, as long as the server has no people. Nodes that start beside this one have
 * links of their own.
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

/** Makes the person of the demo, who owns the server and has no password, where it is not there. Gives its id. */
export async function makeDemoPerson(database: Database, at: Date): Promise<string> {
  return await database.transaction(async (tx) => {
    const person =
      (await listAccounts(tx, DEMO_PERSON.mail))[0] ??
      (await insertPerson(tx, { ...DEMO_PERSON, personId: newId('usr'), owner: true, passwordHash: null, at }))
    return person.person_id
  })
}

const DEMO_PERSON = { name: 'Demo', mail: 'demo@greenroom.example' }
