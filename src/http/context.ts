import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import type { GraphClient } from '../graph/graph-client.js'
import type { RotationStep } from '../interface/access.js'
import type { Clock } from '../lib/clock.js'
import type { Sealing } from '../lib/passphrase.js'
import type { Sealer } from '../lib/seal.js'
import type { FailedAttempts } from './failed-attempts.js'
import type { Actor } from './principal.js'
import type { RateLimits } from './rate-limits.js'

/** When keys were last used, gathered in memory (access/key-uses.ts). */
export interface KeyUses {
  note(keyId: string, nowMs: number): void
  /** Writes what is gathered. What could not be written is kept for the next time. */
  flush(): Promise<void>
}

/** Hashes passwords, few at a time; throws sign_in_busy when too many wait (access/people/passwords.ts). */
export interface Passwords {
  /** A PHC string. */
  hash(password: string): Promise<string>
  /** Whether it is that of the hash, which is looked up when it is its turn. Takes the same time without one, and is false then. */
  matches(password: string, findHash: () => Promise<string | null | undefined>): Promise<boolean>
}

/** What every operation and worker may use; opened once (src/context.ts). */
export interface Context {
  config: Readonly<Config>
  log: Logger
  clock: Clock
  database: Database
  graph: GraphClient
  sealer: Sealer
  passwords: Passwords
  /** Signs the insights cursors. */
  cursorKey: Buffer
  keyUses: KeyUses
  rateLimits: RateLimits
  failedAttempts: FailedAttempts
  /** Takes the next step of a rotation of the master key (access/master-keys.ts). */
  rotateMasterKey(after: string | undefined, actor: Actor): Promise<RotationStep>
  /** Seals the master keys with these ids under a passphrase (access/master-keys.ts). */
  sealMasterKeys(
    keyIds: readonly string[],
    passphrase: string,
    context: string,
  ): Promise<{ sealing: Sealing; sealed: Buffer }>
  /** Of this process: one backup at a time. */
  backups: { isRunning: boolean }
}
