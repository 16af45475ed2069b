import type { AutomationMode } from './automation.js'
import type { KEY_REFUSALS, KEY_SCOPE_NAMES } from './key-permissions.js'
import type { Language } from './languages.js'
import type { CountedPage, PageQuery } from './pages.js'

export interface Organization {
  id: string
  name: string
  /** While false, every key of the organization gets 402. */
  active: boolean
  /** No one approves a post that they wrote or last changed. */
  fourEyes: boolean
  /** A person whose session has passed no second factor does not get into it. */
  requireSecondFactor: boolean
  /** The switch above those of the channels: superpowers do no more anywhere. */
  automation: AutomationMode
  /** Mail addresses of people outside, to whom its writers may send review links. */
  reviewers: string[]
  /** An IANA name, such as `Europe/Paris`: in which its people read times. */
  timeZone: string
  /** Mails to people outside are in it, and those to members whose own language is not known. */
  language: Language
  /** ISO 4217: lifetime values are in it. While it is null, purchases are kept and not counted. */
  currency: string | null
  /** ISO 8601 in UTC, like every instant whose name ends in `At`. */
  createdAt: string
}

/** The default is 1,000 organizations per page, which is the most. */
export type OrganizationQuery = PageQuery

export interface NewOrganization {
  name: string
}

export interface OrganizationPatch
  extends Partial<Pick<Organization, 'name' | 'fourEyes' | 'timeZone' | 'language' | 'currency'>> {
  /** Takes the permission `operator`. */
  active?: boolean
  /** Takes a session that has passed a second factor, or an operator token. */
  requireSecondFactor?: boolean
  automation?: AutomationMode
  /** In place of the present ones. */
  reviewers?: string[]
}

/** A key may hold these. */
export type KeyPermission = (typeof KEY_SCOPE_NAMES)[number]

export interface NewKey {
  /** For people. */
  name?: string
  /** All that a key may hold unless said. */
  permissions?: KeyPermission[]
  /** Addresses and subnets that it may be used from; any unless said. */
  allowedAddresses?: string[]
  /** From then on it is refused. */
  expiresAt?: string
  /** 0 for no limit; the server's own unless said. */
  requestsPerSecond?: number
  /** The key in whose place it is issued. */
  replaces?: string
}

export interface KeyPatch extends Pick<NewKey, 'name' | 'allowedAddresses'> {
  /** null for all that a key may hold. */
  permissions?: KeyPermission[] | null
  /** null for no end of its own. */
  expiresAt?: string | null
  /** null for the server's own. */
  requestsPerSecond?: number | null
}

/** The reason why a request that named a key was refused. */
export type KeyRefusal = (typeof KEY_REFUSALS)[number]

export interface Key {
  id: string
  name: string
  permissions: KeyPermission[]
  /** Empty: any. */
  allowedAddresses: string[]
  /** Absent: as many as the server allows a key. */
  requestsPerSecond?: number
  createdAt: string
  /** Absent for a key from before this was written down. */
  createdBy?: AuditEntry['actor']
  /** Its own expiry, or its greatest age where that comes first; absent: never. */
  expiresAt?: string
  /** Set where expiresAt follows from the greatest age that the server sets, so that another key gets a later one. */
  expiresByAge?: true
  /** To the minute; absent while it was never used. */
  lastUsedAt?: string
  /** Absent while the key is live. */
  revokedAt?: string
  /** The key that was last issued in its place, which may be removed by now. */
  replacedBy?: string
  /** Requests that named it and were refused; absent while there was none. */
  refused?: { count: number; lastAt: string; lastReason: KeyRefusal }
}

/** The only answer that ever holds the secret. */
export interface IssuedKey extends Key {
  secret: string
}

export interface NewOperatorToken {
  /** Given once: the audit trail names the token by it. */
  name: string
  /** From then on it is refused. */
  expiresAt?: string
}

/** A token of the operator's side beside that of the server's environment. */
export interface OperatorToken extends Pick<Key, 'name' | 'createdAt' | 'expiresAt' | 'expiresByAge' | 'revokedAt'> {
  createdBy: AuditEntry['actor']
}

/** The only answer that ever holds the token. */
export interface IssuedOperatorToken extends OperatorToken {
  token: string
}

/**
 * `key:<keyId>`: a caller of the API; `user:<personId>`: a person; `operator:<name>`: a named operator token;
 * `outsider:<linkId>`: one without an account.
 */
export type Actor =
  | 'operator'
  | `operator:${string}`
  | 'publisher'
  | `key:${string}`
  | `user:${string}`
  | `outsider:${string}`

/** One change in an organization. */
export interface AuditEntry {
  id: string
  at: string
  /**
   * The caller who made it; `id` is that of the key, the person or the link, or the name of the operator token. `name`:
   * what the person or key is called now, in the audit trail alone.
   */
  actor: { type: 'key' | 'user' | 'operator' | 'publisher' | 'outsider'; id?: string; name?: string }
  /** The operationId; of what the publisher does `publishScheduledPost`. */
  operation: string
  /** `name`: what it is called now, where it has a name and is still there; in the audit trail alone. */
  target: { type: string; id: string; name?: string }
  /** The changes; never a secret. */
  changes?: Record<string, unknown>
  /** The values of the changed fields before, as far as earlier entries tell. */
  before?: Record<string, unknown>
  /** The IP address of the caller, where it was written down. */
  address?: string
  /** The same caller did the same to the same thing again within the hour. */
  repeated?: {
    times: number
    /** When it was last done. */
    until: string
    /** The different changes since, each once; the last one says how it ended. */
    states: { at: string; changes?: Record<string, unknown> }[]
  }
}

/** The caller with a key or an operator token. */
export interface Caller {
  type: 'key' | 'operator' | 'user'
  /** That of the key, or the name of the operator token; absent for the token of the environment. */
  id?: string
  /** The organization of a key. */
  organizationId?: string
  permissions: string[]
}

export interface AuditFilters {
  /** Only changes of what is of this type, such as `scheduledPost`. */
  targetType?: string
  /** Only changes by this actor, such as `user:usr_…` or `publisher`. */
  actor?: string
  /** Only changes by this operation, such as `updateKey`. */
  operation?: string
  scheduledPostId?: string
  /** Instants; the second one is not included. */
  from?: string
  to?: string
}

export type AuditQuery = PageQuery & AuditFilters

export type AuditPage = CountedPage<AuditEntry>

export interface Rotation {
  /** That of the last answer; without it a rotation begins, or the one under way goes on from the start. */
  after?: string
}

/** One step of a rotation of the master key. */
export interface RotationStep {
  /** Id of the new key. It tells nothing of the key itself. */
  keyId: string
  /** Secrets that this step has sealed under the new key. */
  resealed: number
  /** Secrets that open under none of the server's keys, and were left as they are. */
  unopened: number
  /** Secrets that are still to do. */
  remaining: number
  /** For the next step; absent when the rotation is done. */
  after?: string
}

export interface OrganizationDeletionQuery {
  /** The name of the organization, as a confirmation. */
  name: string
}

/** One call has deleted this. */
export interface OrganizationDeletion {
  id: string
  /** False while rows are left: repeat the call. */
  done: boolean
  conversations: number
  posts: number
}
