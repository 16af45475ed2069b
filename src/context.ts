import { type AudienceCache, createAudienceCache } from './audience/cache/audience-cache.js'
import type { Config } from './config.js'
import { migrate } from './database/migrate.js'
import { openDatabase } from './database/open.js'
import { createGraphClient } from './graph/graph-client.js'
import type { Context } from './http/context.js'
import { systemClock } from './lib/clock.js'
import { loadMasterKey } from './lib/master-key.js'
import { createSealer, deriveKey } from './lib/seal.js'
import { openLog } from './observability/log.js'

/** Everything that the process has open. */
export interface AppContext extends Context {
  audienceCache: AudienceCache
}

/** Opens everything the configuration names and brings the database up to date. `overrides` replace parts in tests. */
export async function createContext(
  config: Readonly<Config>,
  overrides: Partial<Pick<Context, 'log' | 'clock' | 'database'>> = {},
): Promise<AppContext & { close(): Promise<void> }> {
  const log = overrides.log ?? openLog(config.logLevel)
  const clock = overrides.clock ?? systemClock
  const masterKey = config.masterKey ?? loadMasterKey(config.dataDir)
  const database = overrides.database ?? (await openDatabase(config, log))
  try {
    const { applied } = await migrate(database)
    if (applied.length > 0) log.info({ applied }, 'migrations applied')
  } catch (error) {
    await database.close()
    throw error
  }
  return {
    config,
    log,
    clock,
    database,
    audienceCache: createAudienceCache(database, { memoryBytesMax: config.audienceMemoryBytes }),
    graph: createGraphClient(config, { clock, log }),
    sealer: createSealer(masterKey),
    cursorKey: deriveKey(masterKey, 'greenroom cursor'),
    close: () => database.close(),
  }
}
