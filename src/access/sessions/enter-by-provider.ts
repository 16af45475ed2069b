import type { IncomingHttpHeaders } from 'node:http'
import { recordMemberAudit } from '../../audit/audit.store.js'
import type { OidcConfig, ProviderRole } from '../../config/oidc.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context, ProviderIdentity, RolesMissing } from '../../http/context.js'
import { newId } from '../../lib/ids.js'
import { notifyPerson } from '../../news/notify-person.js'
import { findOrganization } from '../organizations.store.js'
import { endLostGrants } from '../people/grants.js'
import { lockLinkedPosts } from '../people/grants.store.js'
import { findLinkedPerson, insertIdentity } from '../people/identities.store.js'
import type { HeldInvitationRow } from '../people/invitations.store.js'
import { foldMail, isSameMail } from '../people/mail-address.js'
import { deleteMembership, findMembership, insertMembership, updateMembership } from '../people/memberships.store.js'
import {
  insertPerson,
  lockAccounts,
  lockPeople,
  lockPerson,
  type PersonRow,
  type PersonWithPassword,
} from '../people/people.store.js'
import { ROLES } from '../people/person.js'
import { accountToProve, dropCredentials, proveAddress } from '../people/prove-address.js'
import { becomeMember, becomeOwner, useLink } from '../people/take-invitation.js'
import { type BegunHalfSession, type BegunSession, signInAs } from './session.js'
import { deleteSessions } from './sessions.store.js'

const OPERATION = 'finishOidcSignIn'

type Entering = Pick<Context, 'clock' | 'config' | 'database' | 'log'>

interface Entry {
  identity: ProviderIdentity
  config: OidcConfig
  /** The invitation that the sign-in accepts; `owner` for an owner's link. */
  invitation: HeldInvitationRow | 'owner' | undefined
  now: Date
}

/**
 * Begins the session of the person that the provider identified: already linked, linked now by a verified email
 * address, or new by an invitation or by the configuration for new people. A verified address takes over an account
 * that was made without proof (people/prove-address.ts). Throws oidc_not_allowed, invitation_mail_differs,
 * mail_unproven, link_unusable and oidc_roles_missing.
 */
export async function enterByProvider(
  { clock, config: { oidc }, database, log }: Entering,
  identity: ProviderIdentity,
  { invitationHash, headers, ip }: { invitationHash: string | undefined; headers: IncomingHttpHeaders; ip: string },
): Promise<BegunSession | BegunHalfSession> {
  const now = new Date(clock.now())
  if (oidc?.organizationId !== undefined && (await findOrganization(database, oidc.organizationId)) === undefined) {
    const { organizationId } = oidc
    log.warn(
      { organizationId },
      'OIDC_ORGANIZATION is not the id of an organization: no one can sign in with the provider',
    )
    throw new ApiError('oidc_not_allowed')
  }
  const missing = missingRolesOf(identity, oidc!)
  const enter = (): Promise<BegunSession | BegunHalfSession> =>
    database.transaction(async (tx) => {
      const known = await findLinkedPerson(tx, identity)
      await lockPeople(tx, {
        ids: known === undefined ? [] : [known],
        mails: identity.mail === undefined ? [] : [identity.mail],
      })
      const invitation =
        invitationHash === undefined ? undefined : ((await useLink(tx, invitationHash, now)) ?? 'owner')
      const entry: Entry = { identity, config: oidc!, invitation, now }
      const { personId, how } = await identify(tx, entry)
      if (invitation === 'owner') await becomeOwner(tx, personId, now)
      else if (invitation !== undefined) await becomeMember(tx, invitation, (await lockPerson(tx, personId))!, now)
      const hasOtherRights = await applyRoles(tx, personId, how === 'created' && invitation === undefined, entry)
      if (hasOtherRights || invitation !== undefined) await deleteSessions(tx, personId)
      if (how === 'linked')
        await notifyPerson(tx, { kind: 'provider-linked', personId, at: now, caller: { ip }, headers })
      return await signInAs(tx, personId, {
        ...{ operation: OPERATION, method: 'oidc', headers, ip, now, idToken: identity.idToken },
        secondFactor: oidc!.secondFactor === 'trusted',
        changes: {
          ...(how !== 'known' && { [how]: true }),
          ...(missing !== undefined && { rolesMissing: missing }),
        },
      })
    })
  if (missing !== undefined) {
    const claim = oidc!.roleClaim
    log.warn(
      { claim, reason: missing },
      'the identity provider did not send the roles of a person: their membership stays the same',
    )
  }
  try {
    return await enter()
  } catch (error) {
    // Another sign-in of the same person has just created the account.
    if (error instanceof ApiError && error.code === 'account_exists') return await enter()
    throw error
  }
}

/**
 * Returns why the provider's claims do not decide the membership; undefined if they do, or if no role claim is
 * configured.
 */
const missingRolesOf = ({ roles }: ProviderIdentity, config: OidcConfig): RolesMissing | undefined =>
  config.roles.size > 0 && typeof roles === 'string' ? roles : undefined

async function identify(
  tx: Queryable,
  entry: Entry,
): Promise<{ personId: string; how: 'known' | 'linked' | 'created' }> {
  const { identity, now } = entry
  const known = await findLinkedPerson(tx, identity)
  if (known !== undefined) {
    const person = await requireActive(tx, known)
    checkInvited(entry, person.mail)
    const [first] = isProven(entry, person.mail) ? await lockAccounts(tx, person.mail) : []
    // If another account already has the address, this one stays with its organization.
    if (first !== undefined && (first.bound_to !== null || first.person_id === known)) {
      await proveAddress(tx, person, { ...byProvider(person, now), keeps: 'everything' })
    }
    return { personId: known, how: 'known' }
  }
  const person = await takeOver(tx, entry)
  const personId = person?.person_id ?? (await createPerson(tx, entry))
  if (!(await insertIdentity(tx, { ...identity, personId, at: now }))) {
    // Another sign-in of the same subject, which held the lock, has just linked it.
    if ((await findLinkedPerson(tx, identity)) === personId) return { personId, how: 'known' }
    // Linked to another subject: the email address now belongs to another person.
    throw new ApiError(person === undefined ? 'account_exists' : 'oidc_not_allowed')
  }
  return { personId, how: person === undefined ? 'created' : 'linked' }
}

/**
 * Finds the account to link by email address, if the provider or the invitation's email proves the address. Credentials
 * that were set without proof end. Undefined if a new account is needed.
 */
async function takeOver(tx: Queryable, entry: Entry): Promise<PersonWithPassword | undefined> {
  const { identity, config, invitation, now } = entry
  const { mail } = identity
  if (mail === undefined) return undefined
  const organizationId = typeof invitation === 'object' ? invitation.organization_id : undefined
  const accounts = await lockAccounts(tx, mail)
  const account = accountToProve(accounts, organizationId)
  if (account === undefined) return undefined
  if (!isProven(entry, mail)) {
    // The address is not proven. If the inviting organization made the account, its invitation hands the account
    // over.
    const own = accounts.find((one) => one.active && one.bound_to !== null && one.bound_to === organizationId)
    if (account.bound_to !== null && own === undefined) return undefined
    if (own === undefined) throw new ApiError('oidc_not_allowed')
    checkInvited(entry, mail)
    await dropCredentials(tx, own.person_id)
    return own
  }
  if (account.bound_to === null && !identity.mailVerified) throw new ApiError('oidc_not_allowed')
  if (!account.active || (invitation === undefined && !isAllowedDomain(mail, config)))
    throw new ApiError('oidc_not_allowed')
  checkInvited(entry, account.mail)
  await proveAddress(tx, account, { ...byProvider(account, now), keeps: 'nothing' })
  return account
}

/** Returns whether the provider, or the email of an invitation, proves that the address is the person's. */
function isProven({ identity: { mail, mailVerified }, invitation }: Entry, address: string): boolean {
  if (mail === undefined || !isSameMail(mail, address)) return false
  return mailVerified || (typeof invitation === 'object' && invitation.proves_mail && isSameMail(invitation.mail, mail))
}

const byProvider = ({ person_id }: PersonRow, at: Date) => ({
  at,
  actor: { type: 'user', id: person_id } as const,
  operation: OPERATION,
})

async function requireActive(tx: Queryable, personId: string): Promise<PersonWithPassword> {
  const person = await lockPerson(tx, personId)
  if (!person?.active) throw new ApiError('oidc_not_allowed')
  return person
}

function checkInvited({ invitation }: Entry, mail: string): void {
  if (typeof invitation === 'object' && !isSameMail(invitation.mail, mail))
    throw new ApiError('invitation_mail_differs')
}

/** Creates an account, allowed by an invitation to the email address or by the configuration. */
async function createPerson(tx: Queryable, entry: Entry): Promise<string> {
  const { identity, config, invitation, now } = entry
  const { mail, name } = identity
  if (mail === undefined) throw new ApiError(invitation === undefined ? 'oidc_not_allowed' : 'invitation_mail_differs')
  checkInvited(entry, mail)
  if (invitation === undefined) checkMayJoin(identity, config)
  const isMailProven = isProven(entry, mail)
  const row = await insertPerson(tx, {
    personId: newId('usr'),
    name: name ?? mail,
    mail: typeof invitation === 'object' ? invitation.mail : mail,
    owner: false,
    passwordHash: null,
    at: now,
    isMailProven,
    boundTo: isMailProven || typeof invitation !== 'object' ? undefined : invitation.organization_id,
  })
  return row.person_id
}

function isAllowedDomain(mail: string, { allowedDomains }: OidcConfig): boolean {
  const domain = foldMail(mail.slice(mail.lastIndexOf('@') + 1))
  return allowedDomains.length === 0 || allowedDomains.includes('*') || allowedDomains.includes(domain)
}

function checkMayJoin(identity: ProviderIdentity, config: OidcConfig): void {
  const { mail, mailVerified } = identity
  const isAllowed = config.allowedDomains.length > 0 && isAllowedDomain(mail!, config)
  if (!mailVerified || !isAllowed) throw new ApiError('oidc_not_allowed')
  if (roleOfNew(identity, config) !== undefined) return
  throw new ApiError(missingRolesOf(identity, config) === undefined ? 'oidc_not_allowed' : 'oidc_roles_missing')
}

/** Returns the highest role that the claim's values grant, or else the default. */
function roleOf(values: readonly string[], { roles, defaultRole }: OidcConfig): ProviderRole | undefined {
  const given = values.flatMap((value) => roles.get(value) ?? [])
  if (given.length === 0) return defaultRole
  const role = ROLES.findLast((one) => given.some((other) => other.role === one))!
  return { role, mayApprove: given.some(({ mayApprove }) => mayApprove) }
}

/**
 * Returns the role of a new person. Many providers leave out the claim for a person without groups, who gets the
 * default.
 */
function roleOfNew({ roles }: ProviderIdentity, config: OidcConfig): ProviderRole | undefined {
  if (typeof roles !== 'string') return roleOf(roles, config)
  return roles === 'absent' ? config.defaultRole : undefined
}

/**
 * Applies the provider's roles to the membership: a claim at each sign-in, the default only to a new person. A
 * missing or unreadable claim changes nothing. Returns whether the membership has changed.
 */
async function applyRoles(
  tx: Queryable,
  personId: string,
  isNew: boolean,
  { identity, config, now: at }: Entry,
): Promise<boolean> {
  const { organizationId } = config
  if (organizationId === undefined || (config.roles.size === 0 && !isNew)) return false
  // An account with an unproven address stays with its organization.
  const { bound_to } = (await lockPerson(tx, personId))!
  if (bound_to !== null && bound_to !== organizationId) return false
  const present = await findMembership(tx, organizationId, personId)
  const principal = { organizationId, actor: { type: 'user', id: personId } as const }
  const missing = missingRolesOf(identity, config)
  if (missing !== undefined && !isNew) {
    if (present === undefined) return false
    const changes = { rolesMissing: missing }
    await recordMemberAudit(tx, principal, personId, { at, operation: OPERATION, changes })
    return false
  }
  const wanted = roleOfNew(identity, config)
  if (wanted?.role === present?.role && wanted?.mayApprove === present?.may_approve) return false
  if (wanted === undefined) {
    await lockLinkedPosts(tx, { personId, organizationId }, at)
    await deleteMembership(tx, organizationId, personId)
  }
  if (wanted !== undefined && present === undefined)
    await insertMembership(tx, { organizationId, personId, ...wanted, at })
  else if (wanted !== undefined) await updateMembership(tx, organizationId, personId, wanted)
  const changes = wanted === undefined ? { member: false } : { ...wanted }
  await recordMemberAudit(tx, principal, personId, { at, operation: OPERATION, changes })
  await endLostGrants(tx, personId, { actor: principal.actor, at, organizationId, leaves: wanted === undefined })
  return true
}
