import type { Key, Organization } from './generated/types.js'
import type { InboxKind } from './/inbox.js'
import type { Language } from './languages.js'

/** The roles of members in an organization: docs/access.md. Approving posts is a right of its own beside it. */
export type Role = 'VIEWER' | 'EDITOR' | 'ADMIN'

/** A member's rights in one channel, which hold in place of those in the organization. */
export interface ChannelRole {
  channelId: string
  role: Exclude<Role, 'ADMIN'>
  mayApprove: boolean
}

export type SignInMethod = 'password' | 'link' | 'oidc' | 'passkey'

/** Someone with an account on the server. */
export interface Person {
  id: string
  name: string
  mail: string
  /** Does what the operator token does. */
  owner: boolean
  /** False: does not get in. */
  active: boolean
  /** True if a mail, the identity provider or an operator has shown that the address is theirs. */
  mailProven: boolean
  /** The only organization that an account with an unproven address may be in. */
  boundTo?: string
  createdAt: string
}

/** A person in the list of all: with whether they have a passkey or an authenticator app. */
export interface ListedPerson extends Person {
  secondFactor: boolean
  /** The last time that the person signed in; absent before the first. */
  lastSignIn?: LastSignIn
}

export interface LastSignIn {
  at: string
  /** A browser and a system, without versions. */
  browser: string
  /** The block of the address: three of four parts of IPv4, three groups of IPv6. */
  network: string
}

export interface PersonPatch {
  owner?: boolean
  active?: boolean
  /** An operator vouches for the mail address; it cannot be taken back. */
  mailProven?: true
  /** Revokes live keys that the person issued, in the same step: their ids, or all of them. */
  revokeKeys?: string[] | 'all'
}

/** A person after a change, with what the change has ended. */
export interface UpdatedPerson extends Person {
  ended: EndedGrants
}

/** A live key that a person issued. */
export interface GrantedKey extends Pick<Key, 'id' | 'name' | 'createdAt' | 'lastUsedAt'> {
  organizationId: string
}

/** These end with a removal or a deactivation, because they let people in; the live keys end if they are named. */
export interface Grants {
  /** Open ones that the person made, and those for the person's mail address. */
  invitations: number
  reviewLinks: number
  /** Links to sign in and to become an owner: of the server as a whole, and so 0 for a member of one organization. */
  signInLinks: number
  /** Live ones, likewise of the server as a whole. */
  operatorTokens: { name: string }[]
  keys: GrantedKey[]
}

/** The counts of what a change of a person's rights has ended. */
export interface EndedGrants extends Pick<Grants, 'invitations' | 'reviewLinks' | 'signInLinks'> {
  /** They are given by name. */
  operatorTokens: string[]
  /** They are given by id. */
  keys: string[]
}

/** The answer to a member's removal, and to an account's deletion. */
export interface MemberRemovalQuery {
  /** Live keys that the person issued, to be revoked in the same step: ids with commas between them, or `all`. */
  revokeKeys?: string
}

/** A member who was removed, or a person whose account was deleted. */
export interface RemovedMember {
  id: string
  ended: EndedGrants
}

/** The console and the mails of one person. */
export interface OwnPreferences {
  /** Null for the language of the browser. */
  language: Language | null
  /** An IANA name; null for the time zone of the organization. */
  timeZone: string | null
}

/** Mails to a person about an organization. */
export interface OwnNotifications {
  mails: boolean
  /** The kinds of news about which the person gets mails, where `mails` is true. */
  kinds: InboxKind[]
  /** True when there are any to get: the server sends mails, and the person is a member. */
  available: boolean
}

/** Without `kinds` these stay as they are. */
export type OwnNotificationsPut = Pick<OwnNotifications, 'mails'> & Partial<Pick<OwnNotifications, 'kinds'>>

/** A person in an organization. */
export interface Member extends Pick<Person, 'id' | 'name' | 'mail' | 'active' | 'mailProven'> {
  role: Role
  mayApprove: boolean
  /** The channels in which another role holds than in the rest of the organization. An ADMIN has none. */
  channels: ChannelRole[]
  /** True if the person has a passkey or an authenticator app. */
  secondFactor: boolean
  /** Since when. */
  createdAt: string
}

/** `channels` replaces all that the member has. */
export type MemberPatch = Partial<Pick<Member, 'role' | 'mayApprove' | 'channels'>>

export interface NewInvitation {
  mail: string
  role: Role
  /** False unless said. */
  mayApprove?: boolean
}

export interface Invitation extends Required<NewInvitation> {
  id: string
  createdAt: string
  expiresAt: string
}

/** The only answer that ever holds the token. */
export type IssuedInvitation = Invitation & EntryLink

/** A link that lets one person in, once. */
export interface EntryLink {
  token: string
  /** The console with the token in the fragment, to be put behind the address of the server. */
  path: string
  expiresAt: string
}

/** How people sign in on this server. */
export interface SignInOptions {
  /** True when a mail address and a password let people in. */
  password: boolean
  /** True where a mail lets one in who has forgotten the password. */
  passwordLink: boolean
  /** True if with a passkey alone. */
  passkey: boolean
  /** The identity provider, where there is one. */
  oidc?: { name: string }
}

export interface OidcStart {
  /** The token of an invitation that the sign-in takes up. */
  invitation?: string
}

/** Where the browser goes to sign in. */
export interface OidcRedirect {
  url: string
}

export interface OidcReturn {
  /** The part that the provider has put behind the redirect address, from the `?` on. */
  query: string
}

export interface SignedOut {
  /** Where the person signs out of the identity provider too. */
  endSessionUrl?: string
}

export interface PasswordLinkRequest {
  mail: string
}

export interface PasswordSignIn {
  mail: string
  password: string
  /** Which account is meant, where the answer before was SeveralAccounts. */
  organizationId?: string
}

/**
 * The answer to the right password of several accounts: nothing has shown yet that the address is one person's, so that each
 * organization has an account of its own for it. Sign in again with one of these organizations.
 */
export interface SeveralAccounts {
  accounts: { organizationId: string; organizationName: string }[]
}

/** A token from the fragment of a link. */
export interface LinkToken {
  token: string
}

/** A sign-in link as its holder sees it before they use it. */
export interface SignInLinkView {
  /** The mail address of the person whom the link signs in. */
  mail: string
  /** The other person who is signed in in this browser. */
  replaces?: { name: string; mail: string }
}

export interface LinkSignIn extends LinkToken {
  /** Ends the session of another person that the browser has: without it that is 409 `signed_in_already`. */
  replace?: boolean
}

/** An invitation as its holder sees it. */
export interface InvitationView {
  /** `owner`: of the server. */
  kind: 'member' | 'owner'
  /** Absent for an owner, who names it. */
  mail?: string
  organizationName?: string
  role?: Role
  mayApprove?: boolean
  /**
   * True if the mail address has an account whose password is asked for. Told only to the one who has the link from a mail;
   * absent for other members, who say it themselves.
   */
  hasAccount?: boolean
}

export interface Acceptance extends LinkToken {
  /** For a new account. Without it the password is that of an account which the mail address has. */
  name?: string
  /** The mail address of an owner; otherwise the invitation says it. */
  mail?: string
  /** A new one, or that of the account which the mail address has; none where passwords are switched off. */
  password?: string
}

export interface PasswordChange {
  /** May be left out until `session.passwordUntil` of `Me`. */
  currentPassword?: string
  newPassword: string
}

export interface Session {
  id: string
  method: SignInMethod
  /** The browser called itself so. */
  userAgent?: string
  /** The address at which it began; absent where it was not noted, like `address`. */
  signInAddress?: string
  /** The address from which it was last seen, to the minute. */
  address?: string
  createdAt: string
  /** To the minute. */
  lastSeenAt: string
  expiresAt: string
  /** True for the session that asks. */
  current: boolean
}

/** The session of Me. */
export interface OwnSession extends Pick<Session, 'id' | 'method' | 'expiresAt'> {
  /** True if this session has passed a second factor. */
  secondFactor: boolean
  /** When the person last proved themselves in this session; signing in counts. */
  confirmedAt: string
  /** Until then a password is set without the present one, once: in a session that began with a sign-in link. */
  passwordUntil?: string
}

/** The person who is signed in, and what they may do where. */
export interface Me {
  person: Person & OwnPreferences & { hasSecondFactor: boolean }
  session: OwnSession
  /** By name. All of the server for an owner. */
  organizations: OwnOrganization[]
  /** Permissions on the server as a whole. */
  permissions: string[]
  /** The version of the program. */
  version: string
}

export interface OwnOrganization extends Omit<Organization, 'createdAt'> {
  /** Absent for an owner who is no member. */
  role?: Role
  /** The person may do this in it. */
  permissions: string[]
  /**
   * The channels in which the person holds other permissions than in the rest of the organization: all that they hold there.
   * Absent where there are none.
   */
  channels?: { channelId: string; permissions: string[] }[]
}
