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

/** When keys or tokens were last used, gathered in memory. */
export interface Uses {
  note(id: string, nowMs: number): void
  /** Writes what is gathered. What could not be written is kept for the next time. */
  flush(): Promise<void>
}

/** When keys were last used, and what was refused to them, gathered in memory (access/keys/key-uses.ts). */
export interface KeyUses extends Uses {
  /** Counts a request that named a key and was refused. Any id may be given: one that no key has is not written. */
  refuse(keyId: string, reason: KeyRefusal, nowMs: number): void
}

/** The caller of a password's computation, by which the places are counted. */
export interface PasswordCaller {
  /** The IP address. */
  address: string
  /** The account that is meant, whether there is one or not (access/sessions/device.ts). */
  account: string
  /**
   * The browser signed in to this account before, or is signed in to it: it has a share of the places that
   * strangers cannot take.
   */
  isKnown: boolean
}

/** Hashes passwords, few at a time; throws sign_in_busy when too many wait (access/people/passwords.ts). */
export interface Passwords {
  /**
   * A PHC string; only tests name no caller. With the salt of `like` where that is given: the accounts of one mail
   * address share a salt.
   */
  hash(password: string, caller?: PasswordCaller, like?: string | null): Promise<string>
  /**
   * Tells if it is that of the hash, which is looked up when it is its turn. Takes the same time without one, and
   * is false then.
   */
  matches(
    password: string,
    findHash: () => Promise<string | null | undefined>,
    caller?: PasswordCaller,
  ): Promise<boolean>
  /** The same for each of several hashes, in the time of one where they share a salt. */
  findMatches(
    password: string,
    findHashes: () => Promise<(string | null | undefined)[]>,
    caller?: PasswordCaller,
  ): Promise<boolean[]>
}

/** The browser keeps this while a person is at the provider. */
export interface ProviderVisit {
  state: string
  nonce: string
  codeVerifier: string
}

/**
 * Why a provider does not say which roles a person has: the claim is at another address (`_claim_names`), it is absent,
 * or it is no list of texts.
 */
export type RolesUntold = 'elsewhere' | 'absent' | 'malformed'

/** A person as the identity provider describes them. */
export interface ProviderIdentity {
  /** The two together name the person, for good. */
  issuer: string
  subject: string
  name: string | undefined
  mail: string | undefined
  mailVerified: boolean
  /** The values of the claim for roles, or why the provider has told none: then nothing follows from it. */
  roles: readonly string[] | RolesUntold
  /** It shows the provider later whose session ends. */
  idToken: string
}

/**
 * The OpenID Connect provider (access/sessions/identity-provider.ts). All throw oidc_unavailable while it is away.
 */
export interface IdentityProvider {
  /** Where to send a person's browser, and what to keep of it. */
  begin(): Promise<{ url: string; visit: ProviderVisit }>
  /** `query`: as the provider has sent the browser back. Throws oidc_refused. */
  finish(query: string, visit: ProviderVisit): Promise<ProviderIdentity>
  /**
   * Gives the address at which a person signs out of the provider too, if there is one. Without the ID token of the
   * sign-in the provider may ask, and not send the browser back.
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
  /** Undefined where no one takes traces. */
  tracing: Tracing | undefined
  metrics: Metrics
  sealer: Sealer
  passwords: Passwords
  /** Encrypted backups are sealed at this cost; tests take a small one. */
  passphraseCost: PassphraseCost
  /** Undefined where none is configured. */
  identityProvider: IdentityProvider | undefined
  /** Signs the insights cursors. */
  cursorKey: Buffer
  /** Decides what superpowers leave to chance. */
  chanceKey: Buffer
  keyUses: KeyUses
  /** When personal tokens were last used. */
  tokenUses: Uses
  rateLimits: RateLimits
  failedAttempts: FailedAttempts
  /** Makes the link of a mail by which a person signs in (access/people/entry-links.ts). */
  issueSignInLink(tx: Queryable, personId: string, at: Date): Promise<Pick<EntryLink, 'path'>>
  /** Takes the next step of a rotation of the master key (access/master-keys.ts). */
  rotateMasterKey(after: string | undefined, actor: Actor): Promise<RotationStep>
  /** Seals the master keys with these ids under a passphrase (access/master-keys.ts). */
  sealMasterKeys(
    keyIds: readonly string[],
    passphrase: string,
    context: string,
    cost: PassphraseCost['value'],
  ): Promise<{ sealing: Sealing; sealed: Buffer }>
  /** The state of this process, which makes one backup at a time. */
  backups: {
    isRunning: boolean
    /**
     * False where the last look at BACKUP_DIR, or the last backup, failed because of it; undefined before there was
     * one.
     */
    isPlaceUsable?: boolean
  }
}
