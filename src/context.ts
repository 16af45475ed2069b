import type { Logger } from 'pino'
import type { Config } from './config.js'
import type { Database } from './database/database.js'
import { migrate } from './database/migrate.js'
import { openDatabase } from './database/open.js'
import { createGraphClient, type GraphClient } from './graph/graph-client.js'
import { type Clock, systemClock } from './lib/clock.js'
import { openLog } from './lib/log.js'
import { loadMasterKey } from './lib/master-key.js'
import { createSealer, deriveKey, type Sealer } from './lib/seal.js'
import { type Audiences, createAudiences } from './vip-users/audiences.js'

/** What the program lives on. Made once; an operation gets it as its second argument. */
export interface Context {
  config: Readonly<Config>
  log: Logger
  clock: Clock
  database: Database
  audiences: Audiences
  graph: GraphClient
  sealer: Sealer
  /** Signs the insights cursors. */
  cursorKey: Buffer
}

/** Opens everything the configuration names and brings the database up to date. `overrides` replace parts in tests. */
export async function createContext(
  config: Readonly<Config>,
  overrides: Partial<Pick<Context, 'log' | 'clock' | 'database'>> = {},
): Promise<Context & { close(): Promise<void> }> {
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
    audiences: createAudiences(database, { memoryBytesMax: config.audienceMemoryBytes }),
    graph: createGraphClient(config, { clock, log }),
    sealer: createSealer(masterKey),
    cursorKey: deriveKey(masterKey, 'greenroom cursor'),
    close: () => database.close(),
  }
}
