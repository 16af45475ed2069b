import type { IncomingHttpHeaders } from 'node:http'
import type { OidcConfig, ProviderRole } from '../../config.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context, ProviderIdentity } from '../../http/context.js'
import { newId } from '../../lib/ids.js'
import { recordAudit } from '../audit.store.js'
import { findOrganization } from '../organizations.store.js'
import { findLinkedPerson, insertIdentity } from '../people/identities.store.js'
import { findInvitation, isOwnerLink } from '../people/invitations.store.js'
import { deleteMembership, findMembership, insertMembership, updateMembership } from '../people/memberships.store.js'
import { findPersonByMail, insertPerson, lockPerson, type PersonRow } from '../people/people.store.js'
import { ROLES } from '../people/person.js'
import { becomeMember, becomeOwner } from '../people/take-invitation.js'
import { type BegunHalfSession, type BegunSession, signInAs } from './session.js'
import { deleteSessions } from './sessions.store.js'

const OPERATION = 'finishOidcSignIn'

type Entering = Pick<Context, 'clock' | 'config' | 'database' | 'log'>

interface Entry {
  identity: ProviderIdentity
  config: OidcConfig
  /** What the sign-in takes up: of a member with the mail address that it is for. */
  invitation: { tokenHash: string; mail: string | undefined } | undefined
  now: Date
}

/**
 * Begins the session of the person whom the provider has named: linked already, or linked now by a verified mail address, or new by
 * an invitation or by what the configuration says of new people. Throws oidc_not_allowed, invitation_mail_differs, link_unusable.
 */
export async function enterByProvider(
  { clock, config: { oidc }, database, log }: Entering,
  identity: ProviderIdentity,
  { invitationHash, headers }: { invitationHash: string | undefined; headers: IncomingHttpHeaders },
): Promise<BegunSession | BegunHalfSession> {
  const now = new Date(clock.now())
  if (oidc?.organizationId !== undefined && (await findOrganization(database, oidc.organizationId)) === undefined) {
    log.warn(
      { organizationId: oidc.organizationId },
      'OIDC_ORGANIZATION names no organization: no one signs in by the provider',
    )
    throw new ApiError('oidc_not_allowed')
  }
  const enter = (): Promise<BegunSession | BegunHalfSession> =>
    database.transaction(async (tx) => {
      const invitation = invitationHash === undefined ? undefined : await requireInvitation(tx, invitationHash, now)
      const entry: Entry = { identity, config: oidc!, invitation, now }
      const { personId, how } = await identify(tx, entry)
      if (invitation !== undefined) {
        if (invitation.mail === undefined) await becomeOwner(tx, invitation.tokenHash, personId, now)
        else await becomeMember(tx, invitation.tokenHash, personId, now)
      }
      const hasOtherRights = await applyRoles(tx, personId, how === 'created' && invitation === undefined, entry)
      if (hasOtherRights || invitation !== undefined) await deleteSessions(tx, personId)
      const changes = how === 'known' ? {} : { changes: { [how]: true } }
      const secondFactor = oidc!.secondFactor === 'trusted'
      const options = { operation: OPERATION, method: 'oidc', headers, now, secondFactor, ...changes } as const
      return await signInAs(tx, personId, options)
    })
  try {
    return await enter()
  } catch (error) {
    // Another sign-in of the same person has just made the account.
    if (error instanceof ApiError && error.code === 'account_exists') return await enter()
    throw error
  }
}

async function requireInvitation(
  tx: Queryable,
  tokenHash: string,
  now: Date,
): Promise<NonNullable<Entry['invitation']>> {
  const found = await findInvitation(tx, tokenHash, now)
  if (found !== undefined) return { tokenHash, mail: found.mail }
  if (!(await isOwnerLink(tx, tokenHash, now))) throw new ApiError('link_unusable')
  return { tokenHash, mail: undefined }
}

async function identify(
  tx: Queryable,
  entry: Entry,
): Promise<{ personId: string; how: 'known' | 'linked' | 'created' }> {
  const { identity, invitation, now } = entry
  const known = await findLinkedPerson(tx, identity)
  if (known !== undefined) {
    checkInvited(entry, await requireActive(tx, known))
    return { personId: known, how: 'known' }
  }
  const { mail } = identity
  const sameMail = mail === undefined ? undefined : await findPersonByMail(tx, mail)
  if (sameMail === undefined) {
    const personId = await createPerson(tx, entry)
    if (!(await insertIdentity(tx, { ...identity, personId, at: now }))) throw new ApiError('account_exists')
    return { personId, how: 'created' }
  }
  if (!identity.mailVerified) throw new ApiError('oidc_not_allowed')
  const person = await requireActive(tx, sameMail.person_id)
  if (invitation !== undefined) checkInvited(entry, person)
  // Linked to another subject: the mail address has gone over to another person.
  if (!(await insertIdentity(tx, { ...identity, personId: person.person_id, at: now }))) {
    throw new ApiError('oidc_not_allowed')
  }
  return { personId: person.person_id, how: 'linked' }
}

async function requireActive(tx: Queryable, personId: string): Promise<PersonRow> {
  const person = await lockPerson(tx, personId)
  if (!person?.active) throw new ApiError('oidc_not_allowed')
  return person
}

function checkInvited({ invitation }: Entry, { mail }: { mail: string }): void {
  if (invitation?.mail !== undefined && invitation.mail.toLowerCase() !== mail.toLowerCase()) {
    throw new ApiError('invitation_mail_differs')
  }
}

/** An account for one who has none, by an invitation to the mail address or by what the configuration allows. */
async function createPerson(tx: Queryable, entry: Entry): Promise<string> {
  const { identity, config, invitation, now } = entry
  const { mail, name } = identity
  if (mail === undefined) throw new ApiError(invitation === undefined ? 'oidc_not_allowed' : 'invitation_mail_differs')
  if (invitation !== undefined) checkInvited(entry, { mail })
  else if (!mayJoin(identity, config)) throw new ApiError('oidc_not_allowed')
  const row = await insertPerson(tx, {
    personId: newId('usr'),
    name: name ?? mail,
    mail: invitation?.mail ?? mail,
    owner: false,
    passwordHash: null,
    at: now,
  })
  return row.person_id
}

function mayJoin({ mail, mailVerified, roles }: ProviderIdentity, config: OidcConfig): boolean {
  const domain = mail!.slice(mail!.lastIndexOf('@') + 1).toLowerCase()
  const { allowedDomains } = config
  const isAllowed = allowedDomains.includes('*') || allowedDomains.includes(domain)
  return mailVerified && isAllowed && roleOf(roles, config) !== undefined
}

/** The most that the values of the claim give, or else the default. */
function roleOf(values: readonly string[], { roles, defaultRole }: OidcConfig): ProviderRole | undefined {
  const given = values.flatMap((value) => roles.get(value) ?? [])
  if (given.length === 0) return defaultRole
  const role = ROLES.findLast((one) => given.some((other) => other.role === one))!
  return { role, mayApprove: given.some(({ mayApprove }) => mayApprove) }
}

/** Makes the membership what the provider says: at each sign-in by a claim, of a new person by the default. Whether it has changed. */
async function applyRoles(
  tx: Queryable,
  personId: string,
  isNew: boolean,
  { identity, config, now: at }: Entry,
): Promise<boolean> {
  const { organizationId } = config
  if (organizationId === undefined || (config.roles.size === 0 && !isNew)) return false
  const wanted = roleOf(identity.roles, config)
  const present = await findMembership(tx, organizationId, personId)
  if (wanted?.role === present?.role && wanted?.mayApprove === present?.may_approve) return false
  if (wanted === undefined) await deleteMembership(tx, organizationId, personId)
  else if (present === undefined) await insertMembership(tx, { organizationId, personId, ...wanted, at })
  else await updateMembership(tx, organizationId, personId, wanted)
  await recordAudit(tx, {
    principal: { organizationId, actor: { type: 'user', id: personId } },
    at,
    operation: OPERATION,
    target: { type: 'user', id: personId },
    changes: wanted === undefined ? { member: false } : { ...wanted },
  })
  return true
}
