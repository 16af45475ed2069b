import type { Logger } from 'pino'
import { createKeyUses, createUses } from './access/keys/key-uses.js'
import { openMasterKeys } from './access/master-keys.js'
import { issueSignInLink } from './access/people/entry-links.js'
import { createPasswords } from './access/people/passwords.js'
import { createIdentityProvider } from './access/sessions/identity-provider.js'
import { recordTokenUses } from './access/tokens/personal-tokens.store.js'
import { AudienceCache } from './audience/list/audience-cache.js'
import { bringUpToDate } from './backup/bring-up-to-date.js'
import { type Config, toMisspeltSentence } from './config/index.js'
import type { Database } from './database/database.js'
import { knownMigrations } from './database/migrate.js'
import { openDatabase } from './database/open.js'
import type { Purpose } from './database/purpose.js'
import { watchWrites } from './database/writes.js'
import { createGraphClient } from './graph/graph-client.js'
import type { Context } from './http/context.js'
import { FailedAttempts } from './http/failed-attempts.js'
import { createRateLimits } from './http/rate-limits.js'
import { createIntake, type Intake } from './intake/intake.js'
import { systemClock } from './lib/clock.js'
import { limit } from './lib/limits.js'
import { PASSPHRASE_COST } from './lib/passphrase.js'
import { openLog } from './observability/log.js'
import { createMetrics } from './observability/metrics.js'
import { traceDatabase } from './observability/traced-database.js'
import { openTracing } from './observability/traces.js'

/** The open resources of the process. */
export interface AppContext extends Context {
  audienceCache: AudienceCache
  intake: Intake
}

/** How often a process checks whether another one has started a rotation of the master key. */
const MASTER_KEY_REFRESH_MS = 5_000

/**
 * Opens everything the configuration names and migrates the database. Throws StartError for problems that a person
 * can fix. Tests replace parts through `overrides`. `again` also accepts a database whose service runs elsewhere, and
 * takes it back.
 */
export async function createContext(
  config: Readonly<Config>,
  overrides: Partial<Pick<Context, 'log' | 'clock' | 'database' | 'passwords' | 'passphraseCost' | 'tracing'>> = {},
  purpose: Purpose = 'service',
  again = false,
): Promise<AppContext & { close(): Promise<void> }> {
  const log = overrides.log ?? openLog(config.log.level, { format: config.log.format })
  const clock = overrides.clock ?? systemClock
  for (const misspelt of config.misspelt) log.warn(toMisspeltSentence(misspelt))
  const tracing = overrides.tracing ?? (await openTracing(config.asksForTraces, log))
  const metrics = createMetrics()
  const opened = watchWrites(overrides.database ?? (await openDatabase(config.database, log)), { clock, log })
  const database = tracing === undefined ? opened : traceDatabase(opened, tracing)
  try {
    const migrates = config.database.migratesAtStart
    const { applied } = await bringUpToDate(database, { config, clock, log, purpose, again, migrates })
    if (applied.length === knownMigrations().length) log.info('the database was empty: its tables were created')
    else if (applied.length > 0) log.info({ applied }, 'migrations applied')
    const masterKeys = await openMasterKeys(database, { config, log, clock })
    const refresh = (): void => {
      masterKeys.refresh().catch((error) => log.warn({ err: error }, 'cannot read which master key is current'))
    }
    // The embedded database has no other process that could rotate.
    const refreshing = database.engine === 'postgres' ? setInterval(refresh, MASTER_KEY_REFRESH_MS).unref() : undefined
    const { keyUses, tokenUses, stop } = openUses(database, log)
    const intake = createIntake({ database, clock, sealer: masterKeys.sealer, config, log, metrics })
    return {
      config,
      log,
      clock,
      database,
      audienceCache: new AudienceCache(database, { memoryBytesMax: config.audience.memoryBytes }),
      intake,
      graph: createGraphClient(config.graph, { clock, log, tracing, onCall: metrics.countPlatformCall }),
      tracing,
      metrics,
      sealer: masterKeys.sealer,
      passwords: overrides.passwords ?? createPasswords(),
      passphraseCost: overrides.passphraseCost ?? PASSPHRASE_COST,
      identityProvider: config.oidc
        ? createIdentityProvider(config.oidc, `${config.http.publicUrl}/`, { clock, log })
        : undefined,
      cursorKey: masterKeys.cursorKey,
      chanceKey: masterKeys.chanceKey,
      keyUses,
      tokenUses,
      rateLimits: createRateLimits(config.limits),
      failedAttempts: new FailedAttempts(config.limits.failedAttemptsPerMinute, clock),
      issueSignInLink,
      rotateMasterKey: masterKeys.rotate,
      sealMasterKeys: masterKeys.sealKeys,
      backups: { isRunning: false },
      async close() {
        clearInterval(refreshing)
        await stop()
        await intake.close()
        await database.close()
        await tracing?.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Collects when keys and tokens were last used and writes it at intervals. */
function openUses(database: Database, log: Logger) {
  const keyUses = createKeyUses(database)
  const tokenUses = createUses(database, recordTokenUses)
  const flush = async (): Promise<void> => {
    for (const uses of [keyUses, tokenUses]) {
      await uses.flush().catch((error) => log.warn({ err: error }, 'cannot store when keys and tokens were last used'))
    }
  }
  const flushing = setInterval(flush, limit('keyUsesMs')).unref()
  const stop = (): Promise<void> => {
    clearInterval(flushing)
    return flush()
  }
  return { keyUses, tokenUses, stop }
}
