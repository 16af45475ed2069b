import type { AddressInfo } from 'node:net'
import { setTimeout as timeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { warnOfMaximumAges } from './access/maximum-age.js'
import { issueFirstOwnerLink } from './access/people/entry-links.js'
import { hasPeople } from './access/people/people.store.js'
import { buildApp } from './app.js'
import { startAutomation } from './automation/worker.js'
import { startBackupSchedule } from './backup/schedule.js'
import { findDirectoryMistake } from './backup/storage/directory.js'
import type { Config } from './config/index.js'
import { type AppContext, createContext } from './context.js'
import { DatabaseUnavailableError } from './database/database.js'
import { asDamage } from './database/pglite/damage.js'
import { keepTickShape } from './http/fast-path/tick-shape.js'
import { startPlatformReader } from './intake/platform/platform.js'
import { startIntakeWorker } from './intake/worker/worker.js'
import { collectGarbage } from './lib/collect-garbage.js'
import { limit } from './lib/limits.js'
import { shared } from './lib/shared.js'
import { StartError } from './lib/start-error.js'
import { startNotifier } from './news/notifier.js'
import { startClockWatch } from './observability/clock-watch.js'
import type { PublisherView } from './observability/health.js'
import { countPostsByStatus, findOldestDueAt } from './publisher/due-posts.store.js'
import { startLateWatch } from './publisher/late-watch.js'
import { type Publisher, startPublisher } from './publisher/publisher.js'
import { startRetention } from './removal/retention.js'

/** The build puts the web console beside this file. In a source tree without a build the folder does not exist. */
const CONSOLE_FOLDER = new URL('./console/', import.meta.url)
const REFERENCE_FOLDER = new URL('./reference/', import.meta.url)

/** The parts of the service that a process can run separately. Processes in all roles share one PostgreSQL. */
export const ROLES = ['api', 'publisher', 'worker'] as const
export type Role = (typeof ROLES)[number]

type Print = (lines: string) => void

/** A running service. */
export interface RunningServer {
  /** The base URL for clients on this machine, such as `http://127.0.0.1:8080`. */
  url: string
  log: Logger
  /**
   * Reports not ready and keeps serving for config.http.drainMs. Then finishes the running requests, within
   * config.http.stopTimeoutMs, and the publisher's current step, which waits at most config.graph.timeoutMs for the
   * platform. Closes the database last.
   */
  close(): Promise<void>
}

/**
 * Returns whether a person reads the output. Under systemd, in a container or in a pipe the output is a log, which is
 * kept and shown to others.
 */
export const isTerminal = (): boolean => process.stdout.isTTY === true && process.stderr.isTTY === true

/**
 * Opens everything the configuration names and listens. While no one has an account, prints how the first owner gets
 * in: on a terminal the link itself, in a log only the command that makes one. `again` takes back a database that was
 * moved or replaced. startProblem explains errors that a person can fix.
 */
export async function serve(
  config: Readonly<Config>,
  roles: readonly Role[] = ROLES,
  print: Print = (lines) => process.stderr.write(`${lines}\n`),
  isInteractive = isTerminal(),
  again = false,
): Promise<RunningServer> {
  const mistake = findDirectoryMistake(config)
  if (mistake !== undefined) throw new StartError(mistake)
  const context = await createContext(config, {}, 'service', again)
  // The first start creates the database and runs all migrations, which leaves 300 MB of buffers that nothing needs
  // afterwards.
  if (context.database.engine === 'pglite') collectGarbage()
  if (context.database.engine === 'pglite' && roles.length < ROLES.length) {
    context.log.warn(
      { roles },
      'only this process can open the embedded database: no other process can take the other roles',
    )
  }
  try {
    const server = await listen(context, roles)
    if (roles.includes('api'))
      await (isInteractive ? printOwnerInvitation : printInviteCommand)(context, server.url, print)
    return server
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Prints no link: anyone who can read the log could use it. An earlier link stays valid. */
async function printInviteCommand({ config, database, log }: AppContext, url: string, print: Print) {
  try {
    if (await hasPeople(database)) return
  } catch (error) {
    log.warn({ err: error }, 'cannot read the accounts')
    return
  }
  const token = config.access.operatorToken ? '' : 'Set OPERATOR_TOKEN (`greenroom init` makes one) and restart. Then '
  print(
    `No one has an account yet. ${token}\`greenroom users invite-owner\` prints the link for the first owner, with GREENROOM_URL=${config.http.publicUrl ?? url} and GREENROOM_OPERATOR_TOKEN, the OPERATOR_TOKEN of this server.`,
  )
}

async function printOwnerInvitation({ config, clock, database, log }: AppContext, url: string, print: Print) {
  try {
    const link = await issueFirstOwnerLink(database, new Date(clock.now()))
    if (link === undefined) return
    print(
      `No one has an account yet. The first owner signs in with this link, which works once, within an hour:\n\n  ${config.http.publicUrl ?? url}${link.path}\n\n\`greenroom users invite-owner\` makes another link that replaces it.`,
    )
  } catch (error) {
    log.warn({ err: error }, 'cannot make the link for the first owner: greenroom users invite-owner makes one')
  }
}

/**
 * Listens on an open context and closes it at the end. Without the role api, serves only health and metrics. `begin`
 * starts the publisher.
 */
export async function listen(
  context: AppContext & { close(): Promise<void> },
  roles: readonly Role[] = ROLES,
  wait = (ms: number): Promise<unknown> => timeout(ms),
  begin = startPublisher,
): Promise<RunningServer> {
  const { config, log } = context
  keepTickShape()
  let isStopping = false
  let work: Work | undefined
  const view = roles.includes('publisher') ? viewPublisher(context, () => work?.publisher) : undefined
  const servers = await listenAll(context, {
    publisher: view,
    api: roles.includes('api'),
    isStopping: () => isStopping,
  })
  await warnOfMaximumAges(context)
  work = startWork(context, roles, begin)
  const clockWatch = startClockWatch(context)

  async function stop(): Promise<void> {
    // Nothing new is claimed from here on. The current steps and the running requests end in parallel.
    const workStopped = work?.stop()
    clockWatch.stop()
    isStopping = true
    // Proxies notice through /readyz, and callers through `Connection: close`, before any connection is cut.
    if (config.http.drainMs > 0) await wait(config.http.drainMs)
    const cut = setTimeout(() => {
      log.warn({ stopTimeoutMs: config.http.stopTimeoutMs }, 'cutting the requests that are still running')
      for (const { server } of servers) server.closeAllConnections()
    }, config.http.stopTimeoutMs)
    for (const server of servers) await server.close()
    clearTimeout(cut)
    await workStopped
    await context.close()
  }
  let closing: Promise<void> | undefined
  return {
    url: toLocalUrl(servers[0]!.server.address() as AddressInfo),
    log,
    close: () => {
      closing ??= stop()
      return closing
    },
  }
}

type App = Awaited<ReturnType<typeof buildApp>>

/** Starts the API server and, if METRICS_ADDRESS is set, the metrics server. Returns the API server first. */
async function listenAll(
  context: AppContext,
  options: { publisher: PublisherView | undefined; api: boolean; isStopping(): boolean },
): Promise<App[]> {
  const {
    http: { host, port },
    metrics: { address: metricsAddress },
  } = context.config
  const app = await buildApp(context, {
    ...options,
    scrapes: metricsAddress === undefined,
    consoleFolder: CONSOLE_FOLDER,
    referenceFolder: REFERENCE_FOLDER,
  })
  const scraped = metricsAddress && (await buildApp(context, { ...options, api: false, scrapes: true }))
  try {
    await scraped?.listen({
      ...metricsAddress,
      listenTextResolver: (address) => `The metrics are at ${address}/metrics`,
    })
    await app.listen({ host, port, listenTextResolver: (address) => `Greenroom listens at ${address}` })
  } catch (error) {
    await app.close()
    await scraped?.close()
    throw error
  }
  return scraped === undefined ? [app] : [app, scraped]
}

interface Work {
  publisher: Publisher | undefined
  stop(): Promise<unknown>
}

/**
 * Starts the background work. A publisher also does a worker's work, as it did before that role existed. Any process
 * that has a BACKUP_DIR makes backups.
 */
function startWork(context: AppContext, roles: readonly Role[], begin: typeof startPublisher): Work {
  const publishes = roles.includes('publisher')
  const works = publishes || roles.includes('worker')
  const backups = startBackupSchedule(context)
  // In every process, because it may have to report that no process publishes.
  const lateWatch = startLateWatch(context)
  const publisher = publishes ? begin(context, { onPublished: context.metrics.countPublished }) : undefined
  const workers = works
    ? [
        startNotifier(context),
        startIntakeWorker(context),
        startPlatformReader(context),
        startAutomation(context),
        startRetention(context),
      ]
    : []
  return {
    publisher,
    stop() {
      backups?.stop()
      return Promise.all([publisher, lateWatch, ...workers].map((worker) => worker?.stop()))
    },
  }
}

function viewPublisher({ clock, database }: AppContext, find: () => Publisher | undefined): PublisherView {
  return {
    lastTickAt: () => find()?.status().lastTickAt,
    oldestDueAt: () => findOldestDueAt(database, new Date(clock.now())),
    postsByStatus: shared(() => countPostsByStatus(database), clock.now.bind(clock), limit('scrapeKeptMs')),
  }
}

/** A server that listens on all interfaces is reached over loopback. */
function toLocalUrl({ address, family, port }: AddressInfo): string {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const host = everywhere[address] ?? address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

/** The problem with an unusable data directory, and what to do, by error code. */
const DISK_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full: free some space there, or set another DATA_DIR',
  EDQUOT: "this user's quota on its disk is used up: free some space there, or set another DATA_DIR",
  EROFS: 'its disk is read-only: mount it for writing, or set another DATA_DIR',
  EACCES: 'this user may not read and write there: chown it to the user that runs the service, or set another DATA_DIR',
  EPERM: 'this user may not read and write there: chown it to the user that runs the service, or set another DATA_DIR',
  EEXIST: 'it is a file: set another DATA_DIR',
  ENOTDIR: 'a part of its path is a file: set another DATA_DIR',
}

/** Returns why the service cannot listen; undefined for any other error. */
export function findListenFault(
  error: unknown,
  { http: { host, port }, metrics: { address: metricsAddress } }: Readonly<Config>,
): { finding: string; remedy: string } | undefined {
  const { code = '', syscall, port: usedPort } = (error ?? {}) as NodeJS.ErrnoException & { port?: number }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined
  if (syscall === 'listen' && metricsAddress !== undefined && usedPort === metricsAddress.port && usedPort !== port) {
    const finding = `METRICS_ADDRESS ${metricsAddress.host}:${usedPort} cannot be listened on (${code})`
    return { finding, remedy: 'set another one' }
  }
  if (code === 'EADDRINUSE') {
    const remedy = 'stop what listens there, or set PORT (0 takes a free one)'
    return { finding: `Port ${port} of ${host} is in use`, remedy }
  }
  if (code === 'EACCES') return { finding: `Port ${port} is not open to this user`, remedy: 'set PORT to 1024 or more' }
  return { finding: `HOST ${host} is not an address of this machine (${code})`, remedy: '' }
}

/** Returns a sentence about a failed start that a person can fix; undefined for a fault of ours. */
export function startProblem(error: unknown, config: Readonly<Config>): string | undefined {
  const { dataDir, url: databaseUrl } = config.database
  const damage = databaseUrl === undefined ? asDamage(error, dataDir) : error
  if (damage instanceof StartError) return damage.message
  if (error instanceof DatabaseUnavailableError) return `The database cannot be opened: ${reasonOf(error.cause)}.`
  const { code = '', path } = (error ?? {}) as NodeJS.ErrnoException
  const refusal = findListenFault(error, config)
  if (refusal !== undefined)
    return refusal.remedy === '' ? `${refusal.finding}.` : `${refusal.finding}: ${refusal.remedy}.`
  // Errors from writes have no path. A parent directory may be the one that is not writable.
  const isOfDataDir = path === undefined ? code in DISK_PROBLEMS : path.startsWith(dataDir) || dataDir.startsWith(path)
  if (isOfDataDir) return `DATA_DIR ${dataDir} cannot be used: ${DISK_PROBLEMS[code] ?? reasonOf(error)}.`
  return undefined
}

/** The error of connecting to a name with several addresses has no message. */
function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as NodeJS.ErrnoException
  return message || code || 'unknown reason'
}
