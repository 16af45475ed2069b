import type { AddressInfo } from 'node:net'
import { setTimeout as timeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { warnOfGreatestAges } from './access/greatest-age.js'
import { issueFirstOwnerLink } from './access/people/owner-link.js'
import { hasPeople } from './access/people/people.store.js'
import { type AppOptions, buildApp } from './app.js'
import { startBackupSchedule } from './backup/schedule.js'
import { findDirectoryMistake } from './backup/storage/directory.js'
import type { Config } from './config/index.js'
import { type AppContext, createContext } from './context.js'
import { DatabaseUnavailableError } from './database/database.js'
import { asDamage } from './database/pglite/damage.js'
import { keepTickShape } from './http/fast-path/tick-shape.js'
import { collectGarbage } from './lib/collect-garbage.js'
import { limit } from './lib/limits.js'
import { shared } from './lib/shared.js'
import { StartError } from './lib/start-error.js'
import { type Notifier, startNotifier } from './notifications/notifier.js'
import type { PublisherView } from './observability/health.js'
import { countPostsByStatus, findOldestDueAt } from './posts/publications.store.js'
import { type Publisher, startPublisher } from './publisher/publisher.js'
import { type Retention, startRetention } from './retention/retention.js'

/** Where the build puts the web console, beside this file; in a source tree without a build nothing is there. */
const CONSOLE_FOLDER = new URL('./console/', import.meta.url)
const REFERENCE_FOLDER = new URL('./reference/', import.meta.url)

/** The parts of the service's work that a process may do. Processes of all kinds share one PostgreSQL. */
export const ROLES = ['api', 'publisher'] as const
export type Role = (typeof ROLES)[number]

/** A service that answers. */
export interface RunningServer {
  /** Its root as a client on this machine reaches it, such as `http://127.0.0.1:8080`. */
  url: string
  log: Logger
  /**
   * Says that it is not ready, serves on for config.drainMs, and then finishes the running requests, within
   * config.stopTimeoutMs, and the publisher's current step, which waits for the platform for config.graphTimeoutMs
   * at most; then closes the database.
   */
  close(): Promise<void>
}

/**
 * Tells if a person reads the output: under systemd, in a container and in a pipe it is a log, which is kept and
 * shown to others.
 */
export const isReadByPerson = (): boolean => process.stdout.isTTY === true && process.stderr.isTTY === true

/**
 * Opens everything the configuration names and listens. As long as no one has an account, it says how the first
 * owner gets in: by the link itself on a terminal, and by the name of the command that makes it where the output is
 * a log. `again` takes a database back that was moved or replaced. What a person can put right: see startProblem.
 */
export async function serve(
  config: Readonly<Config>,
  roles: readonly Role[] = ROLES,
  say: (lines: string) => void = (lines) => process.stderr.write(`${lines}\n`),
  isSeen = isReadByPerson(),
  again = false,
): Promise<RunningServer> {
  const mistake = findDirectoryMistake(config)
  if (mistake !== undefined) throw new StartError(mistake)
  const context = await createContext(config, {}, 'service', again)
  // The first start makes the database and runs all migrations: that takes 300 MB of buffers which nothing needs
  // afterwards.
  if (context.database.engine === 'pglite') collectGarbage()
  if (context.database.engine === 'pglite' && roles.length < ROLES.length) {
    context.log.warn(
      { roles },
      'the embedded database is open to this process alone: no other process can take the other role',
    )
  }
  try {
    const server = await listen(context, roles)
    if (roles.includes('api')) await (isSeen ? printOwnerLink : printOwnerInvitation)(context, server.url, say)
    return server
  } catch (error) {
    await context.close()
    throw error
  }
}

/** No token: it would let in everyone who can read the log. An earlier link stays valid. */
async function printOwnerInvitation({ config, database, log }: AppContext, url: string, say: (lines: string) => void) {
  try {
    if (await hasPeople(database)) return
  } catch (error) {
    log.warn({ err: error }, 'whether there are people could not be read')
    return
  }
  const token =
    config.access.operatorToken === undefined
      ? 'Set OPERATOR_TOKEN (`greenroom init` makes one) and start again. Then '
      : ''
  say(
    `No one has an account yet. ${token}\`greenroom users invite-owner\` prints the link of the first owner, with GREENROOM_URL=${config.http.publicUrl ?? url} and GREENROOM_OPERATOR_TOKEN, the OPERATOR_TOKEN of this server.`,
  )
}

async function printOwnerLink({ config, clock, database, log }: AppContext, url: string, say: (lines: string) => void) {
  try {
    const link = await issueFirstOwnerLink(database, new Date(clock.now()))
    if (link === undefined) return
    say(
      `No one has an account yet. The owner gets in here, once, within an hour:\n\n  ${config.http.publicUrl ?? url}${link.path}\n\n\`greenroom users invite-owner\` makes another link in its place.`,
    )
  } catch (error) {
    log.warn({ err: error }, 'the link for the first owner could not be made: greenroom users invite-owner makes one')
  }
}

/**
 * Listens on a context that is open already, and closes it in the end. The publisher alone tells how it is, no
 * more. `begin` starts the publisher.
 */
export async function listen(
  context: AppContext & { close(): Promise<void> },
  roles: readonly Role[] = ROLES,
  wait = (ms: number): Promise<unknown> => timeout(ms),
  begin = startPublisher,
): Promise<RunningServer> {
  const { config, log, clock, database, metrics } = context
  keepTickShape()
  let isStopping = false
  const publishes = roles.includes('publisher')
  let publisher: Publisher | undefined
  const view: PublisherView | undefined = publishes
    ? {
        lastTickAt: () => publisher?.status().lastTickAt,
        oldestDueAt: () => findOldestDueAt(database, new Date(clock.now())),
        postsByStatus: shared(() => countPostsByStatus(database), clock.now.bind(clock), limit('scrapeKeptMs')),
      }
    : undefined
  const { app, scraped } = await openListeners(context, {
    api: roles.includes('api'),
    publisher: view,
    isStopping: () => isStopping,
  })
  await warnOfGreatestAges(context)
  const backups = startBackupSchedule(context)
  let notifier: Notifier | undefined
  let retention: Retention | undefined
  if (publishes) {
    publisher = begin(context, { onPublished: metrics.countPublished })
    notifier = startNotifier(context)
    retention = startRetention(context)
  }
  let closing: Promise<void> | undefined
  async function stop(): Promise<void> {
    // It takes nothing new from here on; its current step and the running requests end side by side.
    backups?.stop()
    const publisherStopped = Promise.all([publisher?.stop(), notifier?.stop(), retention?.stop()])
    isStopping = true
    // A load balancer notices by /readyz, and callers by their answers, before a connection is cut.
    if (config.http.drainMs > 0) await wait(config.http.drainMs)
    const cut = setTimeout(() => {
      log.warn({ stopTimeoutMs: config.http.stopTimeoutMs }, 'requests that are still running are cut')
      app.server.closeAllConnections()
      scraped?.server.closeAllConnections()
    }, config.http.stopTimeoutMs)
    await app.close()
    await scraped?.close()
    clearTimeout(cut)
    await publisherStopped
    await context.close()
  }
  return {
    url: toLocalUrl(app.server.address() as AddressInfo),
    log,
    close: () => {
      closing ??= stop()
      return closing
    },
  }
}

/** Listens at HOST and PORT, and for `/metrics` at METRICS_ADDRESS where that is set. */
async function openListeners(context: AppContext, options: AppOptions) {
  const { http, metrics } = context.config
  const folders = { consoleFolder: CONSOLE_FOLDER, referenceFolder: REFERENCE_FOLDER }
  const app = await buildApp(context, { ...options, ...folders, scrapes: metrics.address === undefined })
  const scraped = metrics.address && (await buildApp(context, { ...options, api: false }))
  try {
    await scraped?.listen({
      ...metrics.address,
      listenTextResolver: (address) => `The metrics are at ${address}/metrics`,
    })
    await app.listen({
      host: http.host,
      port: http.port,
      listenTextResolver: (address) => `Greenroom listens at ${address}`,
    })
  } catch (error) {
    await app.close()
    await scraped?.close()
    throw error
  }
  return { app, scraped }
}

/** A server on every interface is reached at the loopback one. */
function toLocalUrl({ address, family, port }: AddressInfo): string {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const host = everywhere[address] ?? address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

/** Remedies for a data directory that cannot be used. */
const DISK_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full: make room there, or set another DATA_DIR',
  EDQUOT: "this user's share of its disk is used up: make room there, or set another DATA_DIR",
  EROFS: 'its disk is read-only: mount it for writing, or set another DATA_DIR',
  EACCES: 'this user may not read and write there: give it to the user that runs this, or set another DATA_DIR',
  EPERM: 'this user may not read and write there: give it to the user that runs this, or set another DATA_DIR',
  EEXIST: 'it is a file: set another DATA_DIR',
  ENOTDIR: 'a part of its path is a file: set another DATA_DIR',
}

/** The sentence for a failed start that a person can put right; undefined for a fault of ours. */
export function startProblem(
  error: unknown,
  {
    http: { host, port },
    database: { dataDir, url: databaseUrl },
    metrics: { address: metricsAddress },
  }: Readonly<Config>,
): string | undefined {
  const damage = databaseUrl === undefined ? asDamage(error, dataDir) : error
  if (damage instanceof StartError) return damage.message
  if (error instanceof DatabaseUnavailableError) return `The database cannot be opened: ${reasonOf(error.cause)}.`
  const { code = '', syscall, path, port: usedPort } = (error ?? {}) as NodeJS.ErrnoException & { port?: number }
  if (syscall === 'listen' && metricsAddress !== undefined && usedPort === metricsAddress.port && usedPort !== port) {
    return `METRICS_ADDRESS ${metricsAddress.host}:${usedPort} cannot be listened at (${code}): set another one.`
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    if (code === 'EADDRINUSE') {
      return `Port ${port} of ${host} is in use: stop what listens there, or set PORT (0 takes a free one).`
    }
    if (code === 'EACCES') return `Port ${port} is not open to this user: set PORT to 1024 or more.`
    return `HOST ${host} is not an address of this machine (${code}).`
  }
  // Writing names no path; a directory above may be the one that cannot be written.
  const isOfDataDir = path === undefined ? code in DISK_PROBLEMS : path.startsWith(dataDir) || dataDir.startsWith(path)
  if (isOfDataDir) return `DATA_DIR ${dataDir} cannot be used: ${DISK_PROBLEMS[code] ?? reasonOf(error)}.`
  return undefined
}

/** Connecting to a name with several addresses fails with an error that has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as NodeJS.ErrnoException
  return message || code || 'unknown reason'
}
