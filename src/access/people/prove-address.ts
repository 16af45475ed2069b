import { recordAccountAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Actor } from '../../http/principal.js'
import { deleteFactors } from '../second-factors/second-factors.store.js'
import { deleteSessions } from '../sessions/sessions.store.js'
import { deleteTokens } from '../tokens/personal-tokens.store.js'
import { deleteIdentities } from './identities.store.js'
import { deleteEntryLinks } from './invitations.store.js'
import { moveMembership } from './memberships.store.js'
import { lockAccounts, mergePerson, type PersonRow, type PersonWithPassword, setCredentials } from './people.store.js'

// An account with an unproven address may have been made by someone other than the owner of the address, who then
// knows its password. It can only be in the organization that made it, and proof of the address takes it over.

/**
 * Deletes every credential of the account: sessions, tokens, links, second factors, identities at a provider, and the
 * password.
 */
export async function dropCredentials(tx: Queryable, personId: string): Promise<void> {
  await setCredentials(tx, personId, { passwordHash: null })
  await deleteIdentities(tx, personId)
  await deleteEntryLinks(tx, personId)
  await deleteFactors(tx, personId)
  await deleteTokens(tx, personId)
  await deleteSessions(tx, personId)
}

/**
 * Returns whether an account needs its password even with proof of the address. Access to a mailbox is not enough for
 * an owner's account.
 */
export const takesPassword = ({ mail_proven_at, owner, active }: PersonRow): boolean =>
  mail_proven_at !== null || owner || !active

/**
 * Chooses, among the accounts of an address (listAccounts), the one that a person who has just proven the address
 * takes over: the unbound one, else the one of `organizationId`, else the oldest. Undefined if there is no active
 * one.
 */
export function accountToProve(
  accounts: readonly PersonWithPassword[],
  organizationId?: string,
): PersonWithPassword | undefined {
  if (accounts[0]?.bound_to === null) return accounts[0]
  const active = accounts.filter((account) => account.active)
  return active.find((account) => account.bound_to === organizationId) ?? active[0]
}

/** The credentials to keep; an operator who vouches for the account keeps everything. */
type Kept = 'password' | 'everything' | 'nothing'

/**
 * Marks the account's address as proven and merges the address's other accounts into it, with their memberships. All
 * their earlier credentials end, except the password that was just used as proof.
 */
export async function proveAddress(
  tx: Queryable,
  account: PersonWithPassword,
  { at, actor, operation, keeps }: { at: Date; actor: Actor; operation: string; keeps: Kept },
): Promise<void> {
  if (account.mail_proven_at !== null) return
  const personId = account.person_id
  if (keeps !== 'everything') {
    await dropCredentials(tx, personId)
    if (keeps === 'password') await setCredentials(tx, personId, { passwordHash: account.password_hash })
  }
  await setCredentials(tx, personId, { provenAt: at })
  const others = (await lockAccounts(tx, account.mail)).filter((one) => one.active && one.person_id !== personId)
  for (const { person_id: from, bound_to: organizationId } of others) {
    await dropCredentials(tx, from)
    await moveMembership(tx, organizationId!, { from, to: personId })
    await mergePerson(tx, from, personId)
  }
  const merged = others.map(({ person_id }) => person_id)
  const changes = { mailProven: true, ...(merged.length > 0 && { merged }) }
  await recordAccountAudit(tx, actor, personId, { at, operation, changes })
}

/** Throws mail_unproven for an account that is bound to another organization. */
export function checkMayJoin({ bound_to }: { bound_to: string | null }, organizationId: string): void {
  if (bound_to !== null && bound_to !== organizationId) throw new ApiError('mail_unproven')
}
