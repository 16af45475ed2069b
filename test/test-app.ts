import { inspect } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createPasswords } from '../src/access/people/passwords.js'
import { type AppOptions, buildApp } from '../src/app.js'
import { type Config, readConfig } from '../src/config/index.js'
import { type AppContext, createContext } from '../src/context.js'
import type { Database } from '../src/database/database.js'
import { createGraphClient, type GraphClient } from '../src/graph/graph-client.js'
import { type ConfigChanges, withConfig } from './config.js'
import { createPatience, type Patience } from './patience.js'
import { sharedClocks, TestClock } from './test-clock.js'
import { openOwnDatabase, openTestDatabase } from './test-database.js'

/** All apps have the same key, because they share a database. */
export const MASTER_KEY = 'c0'.repeat(32)
export const OPERATOR_TOKEN = 'operator-token-of-the-tests'

/** Processes and apps that only tests call. */
export const NO_RATE_LIMITS = {
  KEY_REQUESTS_PER_SECOND: '0',
  PERSON_CHANGES_PER_MINUTE: '0',
  INVITATIONS_PER_HOUR: '0',
  INVITATIONS_PER_ADDRESS: '0',
  IMPORTS_PER_MINUTE: '0',
  INSIGHTS_PER_MINUTE: '0',
  FAILED_ATTEMPTS_PER_MINUTE: '0',
}

/** Probes and scrapes wait for the database even if the machine is busy. */
export const TEST_OPTIONS: AppOptions = { checkAnswers: true, wait: () => new Promise(() => {}) }

export interface TestApp {
  app: FastifyInstance
  context: AppContext
  clock: TestClock
}

let shared: Promise<TestApp> | undefined

/**
 * The whole app on the shared test database, with its clock at the start. Making one takes 150 ms of processor time, so
 * tests share apps and keep apart by their organizations. Without arguments it is this worker's one app, which does not
 * close. With settings that allow reuse, it is an app that no other test has until it is closed. With the test's own log
 * or database, it is a new app. `config` replaces settings.
 */
export async function startTestApp(config: ConfigChanges = {}, log?: Logger, given?: Database): Promise<TestApp> {
  if (log !== undefined || given !== undefined || !isKept(config)) return startOwnTestApp(config, log, given)
  if (Object.keys(config).length > 0) return takeApp(config)
  shared ??= startOwnTestApp().then((app) => {
    sharedClocks.add(app.clock)
    return keepOpen(app)
  })
  return await shared
}

/** An app listens once, on a free port, and stays open. */
function keepOpen<App extends TestApp>(test: App): App {
  const { app } = test
  const listen = app.listen.bind(app)
  let address: Promise<string> | undefined
  const listenOnce = (): Promise<string> => {
    address ??= listen({ host: '127.0.0.1', port: 0 })
    return address
  }
  Object.assign(app, { listen: listenOnce, close: async () => {} })
  return test
}

/** The app reads these settings at each use, so each test that takes the app sets its own. */
const READ_AT_USE = ['automation', 'graph', 'mail', 'webhooks'] as const
/** An app is made with these settings, and keeps no state because of them. Limits are not among them: they count. */
const MADE_WITH: readonly (keyof ConfigChanges)[] = ['http', 'insights', 'metrics', 'outsideMedia']

const isKept = (config: ConfigChanges): boolean =>
  Object.keys(config).every((name) => [...READ_AT_USE, ...MADE_WITH].includes(name as keyof ConfigChanges))

/** An app that uses the platform, log and READ_AT_USE settings of its current test. */
interface KeptApp extends TestApp {
  attach(config: Config, lines: string[]): void
  usePlatform(baseUrl: string, instagramUrl?: string): void
  patience: Patience
}

export interface TakenApp extends TestApp {
  /** Makes it call this platform from now on. */
  usePlatform(baseUrl: string, instagramUrl?: string): void
  /** Ends platform calls that wait for a response, which would otherwise wait forever. */
  patience: Patience
  logLines(): Record<string, unknown>[]
}

/** The apps of this worker that no test uses now, by database and settings. */
const free = new Map<Database, Map<string, KeptApp[]>>()

/** Takes an app, or makes one, until it is closed. It logs only to `logs` and repeats its platform's calls at once. */
export async function takeApp(
  changes: ConfigChanges,
  { logs = false, database }: { logs?: boolean; database?: Database } = {},
): Promise<TakenApp> {
  const place = database ?? (await openTestDatabase())
  const others = Object.entries(changes).filter(([name]) => !(READ_AT_USE as readonly string[]).includes(name))
  const key = inspect([logs, others.sort()], { depth: null })
  const apps = free.get(place) ?? new Map<string, KeptApp[]>()
  free.set(place, apps)
  const waiting = apps.get(key) ?? []
  apps.set(key, waiting)
  const kept = waiting.pop() ?? (await makeKept(Object.fromEntries(others), { logs, database: place }))
  kept.clock.restart()
  const lines: string[] = []
  kept.attach(settingsOf(changes), lines)
  let isTaken = true
  kept.app.close = (async () => {
    if (isTaken) waiting.push(kept)
    isTaken = false
  }) as FastifyInstance['close']
  const { app, context, clock, usePlatform, patience } = kept
  return {
    ...{ app, context, clock, usePlatform, patience },
    logLines: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

/** Takes an app with its own database, for tests that look at a whole installation. */
export const takeEmptyApp = async (changes: ConfigChanges): Promise<TakenApp> =>
  takeApp(changes, { database: await openOwnDatabase() })

async function makeKept(
  changes: ConfigChanges,
  { logs, database }: { logs: boolean; database: Database },
): Promise<KeptApp> {
  let written: string[] = []
  let graph: GraphClient
  const log = pino({ level: logs ? 'debug' : 'silent' }, { write: (line: string) => void written.push(line) })
  const delegating: GraphClient = {
    get: (...args) => graph.get(...args),
    post: (...args) => graph.post(...args),
    platformNow: () => graph.platformNow(),
    forRequest: (request) => graph.forRequest(request),
  }
  const test = keepOpen(await startOwnTestApp(changes, log, database, delegating))
  const { context, clock } = test
  const { config, tracing, metrics } = context
  const patience = createPatience()
  const usePlatform = (baseUrl: string, instagramUrl?: string): void => {
    Object.assign(config, { graph: { ...config.graph, baseUrl, instagramUrl } })
    const onCall = metrics.countPlatformCall
    const { startTimer } = patience
    graph = createGraphClient(config.graph, { clock, log, tracing, onCall, startTimer, wait: async () => {} })
  }
  return {
    ...test,
    usePlatform,
    patience,
    attach(settings, lines) {
      for (const name of READ_AT_USE) Object.assign(config, { [name]: settings[name] })
      usePlatform(settings.graph.baseUrl, settings.graph.instagramUrl)
      written = lines
    },
  }
}

/** Returns the settings of the tests, with the changes. */
const settingsOf = (changes: ConfigChanges): Config =>
  withConfig(
    readConfig({
      MASTER_KEY,
      OPERATOR_TOKEN,
      EARLIER_VARIANT: 'on',
      DRAIN_MS: '0',
      // The clock does not run, so nothing would refill; test/rate-limits.test.ts sets limits.
      ...NO_RATE_LIMITS,
      // Tests never reach the real platform; nothing listens at this address.
      GRAPH_BASE_URL: 'http://127.0.0.1:1',
      // Tests reach no outside address either; publisher/outside-media.test.ts has its own host.
      OUTSIDE_MEDIA: 'off',
    }),
    changes,
  )

/** Starts an app and a clock for this caller only: to test an app's memory, its connections, or two nodes. */
export async function startOwnTestApp(
  config: ConfigChanges = {},
  log?: Logger,
  database?: Database,
  graph?: GraphClient,
): Promise<TestApp> {
  const { context: opened, clock } = await openTestContext({ config, log, database })
  const context = { ...opened, graph: graph ?? opened.graph }
  return { app: await buildApp(context, TEST_OPTIONS), context, clock }
}

interface Opening {
  config?: ConfigChanges
  log?: Logger | undefined
  database?: Database | undefined
}

/** Opens everything that an app consists of, except the app. */
export async function openTestContext({
  config = {},
  log = pino({ level: 'silent' }),
  database,
}: Opening): Promise<Omit<TestApp, 'app'>> {
  const clock = new TestClock()
  const context = await createContext(settingsOf(config), {
    ...{ clock, database: database ?? (await openTestDatabase()), log },
    // The tests' passphrases need no second of work each.
    passwords: createPasswords({ ln: 4, r: 8, p: 1 }),
    passphraseCost: { workFactor: 4, value: { n: 2 ** 4, r: 8, p: 1 } },
  })
  return { context, clock }
}
