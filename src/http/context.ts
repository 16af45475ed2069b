import type { Logger } from 'pino'
import type { Config } from '../config/index.js'
import type { Database, Queryable } from '../database/database.js'
import type { GraphClient } from '../graph/graph-client.js'
import type { EntryLink, KeyRefusal, RotationStep } from '../interface/generated/types.js'
import type { Clock } from '../lib/clock.js'
import type { PassphraseCost, Sealing } from '../lib/passphrase.js'
import type { Sealer } from '../lib/seal.js'
import type { Tracing } from '../lib/tracing.js'
import type { Metrics } from '../observability/metrics.js'
import type { FailedAttempts } from './failed-attempts.js'
import type { Actor } from './principal.js'
import type { RateLimits } from './rate-limits.js'

/** When keys or tokens were last used, collected in memory. */
export interface Uses {
  note(id: string, nowMs: number): void
  /** Writes the collected entries, and keeps any that cannot be written for the next flush. */
  flush(): Promise<void>
}

/** When keys were last used, and their refused requests, collected in memory (access/keys/key-uses.ts). */
export interface KeyUses extends Uses {
  /** Counts a refused request that named a key. Any id may be given: ids of keys that do not exist are not written. */
  refuse(keyId: string, reason: KeyRefusal, nowMs: number): void
}

/** The caller for whom a password is hashed; places in the queue are counted by caller. */
export interface PasswordCaller {
  /** The IP address. */
  address: string
  /** The account in question, whether or not it exists (access/sessions/device.ts). */
  account: string
  /**
   * True if the browser has signed in to this account before, or is signed in to it. Some places in the queue are reserved
   * for such browsers.
   */
  isKnown: boolean
}

/** Hashes passwords, few at a time; throws sign_in_busy if too many are waiting (access/people/passwords.ts). */
export interface Passwords {
  /**
   * Returns a PHC string. Only tests omit the caller. Uses the salt of `like` if given: the accounts of one email address
   * share a salt.
   */
  hash(password: string, caller?: PasswordCaller, like?: string | null): Promise<string>
  /**
   * Returns whether the password matches the hash, which is looked up when its turn comes. Without a hash it takes the same
   * time, and returns false.
   */
  matches(
    password: string,
    findHash: () => Promise<string | null | undefined>,
    caller?: PasswordCaller,
  ): Promise<boolean>
  /** Does the same for several hashes. Those with the same salt take the time of one. */
  findMatches(
    password: string,
    findHashes: () => Promise<(string | null | undefined)[]>,
    caller?: PasswordCaller,
  ): Promise<boolean[]>
}

/** Kept by the browser while the person signs in at the provider. */
export interface ProviderVisit {
  state: string
  nonce: string
  codeVerifier: string
}

/**
 * Why a provider does not say which roles a person has: the claim is at another address (`_claim_names`), is absent, or is
 * not a list of strings.
 */
export type RolesMissing = 'elsewhere' | 'absent' | 'malformed'

/** A person as the identity provider describes them. */
export interface ProviderIdentity {
  /** Together with `subject`, identifies the person permanently. */
  issuer: string
  subject: string
  name: string | undefined
  mail: string | undefined
  mailVerified: boolean
  /** The values of the roles claim, or why there are none, in which case the person's roles do not change. */
  roles: readonly string[] | RolesMissing
  /** Identifies the session to the provider when the person signs out. */
  idToken: string
}

/**
 * The OpenID Connect provider (access/sessions/identity-provider.ts). All functions throw oidc_unavailable while it is
 * unavailable.
 */
export interface IdentityProvider {
  /** Returns where to send a person's browser, and what the browser must keep. */
  begin(): Promise<{ url: string; visit: ProviderVisit }>
  /** `query` is the query string with which the provider redirected the browser back. Throws oidc_refused. */
  finish(query: string, visit: ProviderVisit): Promise<ProviderIdentity>
  /**
   * Returns the URL that also signs a person out at the provider, if it has one. Without the ID token of the sign-in, the
   * provider may ask for confirmation, and may not redirect the browser back.
   */
  endSessionUrl(idToken?: string): Promise<string | undefined>
}

/** Everything that operations and workers use; opened once (src/context.ts). */
export interface Context {
  config: Readonly<Config>
  log: Logger
  clock: Clock
  database: Database
  graph: GraphClient
  /** Undefined if nothing receives traces. */
  tracing: Tracing | undefined
  metrics: Metrics
  sealer: Sealer
  passwords: Passwords
  /** The cost at which encrypted backups are sealed; tests use a small one. */
  passphraseCost: PassphraseCost
  /** Undefined if none is configured. */
  identityProvider: IdentityProvider | undefined
  /** Signs the insights cursors. */
  cursorKey: Buffer
  /** Seeds the random choices of superpowers. */
  chanceKey: Buffer
  keyUses: KeyUses
  /** When personal tokens were last used. */
  tokenUses: Uses
  rateLimits: RateLimits
  failedAttempts: FailedAttempts
  /** Creates the sign-in link of an email (access/people/entry-links.ts). */
  issueSignInLink(tx: Queryable, personId: string, at: Date): Promise<Pick<EntryLink, 'path'>>
  /** Takes the next step of a master key rotation (access/master-keys.ts). */
  rotateMasterKey(after: string | undefined, actor: Actor): Promise<RotationStep>
  /** Seals the master keys with these ids under a passphrase (access/master-keys.ts). */
  sealMasterKeys(
    keyIds: readonly string[],
    passphrase: string,
    context: string,
    cost: PassphraseCost['value'],
  ): Promise<{ sealing: Sealing; sealed: Buffer }>
  /** The backups of this process, which makes one at a time. */
  backups: {
    isRunning: boolean
    /** False if the directory made the last check of BACKUP_DIR, or the last backup, fail; undefined before the first. */
    isPlaceUsable?: boolean
  }
}
