import type { Database, Queryable } from '../../database/database.js'
import type { Actor } from '../../http/principal.js'
import type { EntryLink } from '../../interface/people.js'
import { newId } from '../../lib/ids.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { invitationPath, OWNER_INVITATION_MS, SIGN_IN_LINK_MS, signInPath } from './invitation.js'
import { addStartLink, replaceEntryLink } from './invitations.store.js'
import { hasPeople, insertPerson, listAccounts } from './people.store.js'

/** The link by which a person becomes an owner of the server, in place of an earlier one. */
export function issueOwnerLink(tx: Queryable, at: Date, createdBy: Actor): Promise<EntryLink> {
  return issueLink(tx, { personId: null, createdBy, at, ms: OWNER_INVITATION_MS, toPath: invitationPath })
}

/** The link that lets a person in, in place of an earlier one. */
export function issueSignInLink(tx: Queryable, personId: string, at: Date, createdBy?: Actor): Promise<EntryLink> {
  return issueLink(tx, { personId, createdBy, at, ms: SIGN_IN_LINK_MS, toPath: signInPath })
}

/**
 * Makes the link for the first owner, as long as the server has no people. Nodes that start beside this one have
 * links of their own.
 */
export async function issueFirstOwnerLink(database: Database, at: Date): Promise<EntryLink | undefined> {
  if (await hasPeople(database)) return undefined
  const token = newToken()
  const expiresAt = new Date(at.getTime() + OWNER_INVITATION_MS)
  await database.transaction((tx) => addStartLink(tx, { tokenHash: hashToken(token), at, expiresAt }))
  return { token, path: invitationPath(token), expiresAt: expiresAt.toISOString() }
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

async function issueLink(
  tx: Queryable,
  {
    personId,
    createdBy,
    at,
    ms,
    toPath,
  }: {
    personId: string | null
    createdBy: Actor | undefined
    at: Date
    ms: number
    toPath: (token: string) => string
  },
): Promise<EntryLink> {
  const token = newToken()
  const expiresAt = new Date(at.getTime() + ms)
  await replaceEntryLink(tx, { tokenHash: hashToken(token), personId, createdBy, at, expiresAt })
  return { token, path: toPath(token), expiresAt: expiresAt.toISOString() }
}
