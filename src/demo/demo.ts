import { once } from 'node:events'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { makeDemoPerson } from '../access/people/entry-links.js'
import { Greenroom, GreenroomApi } from '../client/index.js'
import { systemRuntime } from '../client/runtime.js'
import { DEMO_DATA_DIR } from '../config/client.js'
import { type Config, SETTINGS } from '../config/index.js'
import { type AppContext, createContext } from '../context.js'
import { type Clock, systemClock } from '../lib/clock.js'
import { toBareDate } from '../lib/dates.js'
import { newSecret } from '../lib/ids.js'
import { parseJson } from '../lib/json.js'
import { readIfThere } from '../lib/read-if-there.js'
import { settingsFile } from '../lib/settings-file.js'
import { toShellWord, toShownPath } from '../lib/shell-word.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import type { startPublisher } from '../publisher/publisher.js'
import { isTerminal, listen, ROLES, type RunningServer } from '../serve.js'
import { connectToSandbox, DemoClock, type DemoIds, fillDemo } from './fill.js'
import { createKillablePublisher } from './killable-publisher.js'
import { startLife } from './life.js'
import { type DemoModel, makeDemoModel, type Sandbox, startSandbox } from './sandbox.js'
import { openSources, type SourcesOfDemo } from './senders.js'

/** The content of demo.json: everything needed to call the demo. */
interface DemoFile extends DemoIds {
  baseUrl: string
  earlierBaseUrl: string
  operatorUrl: string
  operatorToken: string
  /** `/pages/<platform id>` below it shows published posts. At `/` people can cause faults. */
  sandboxUrl: string
  /** The person who signs in with the links of `greenroom demo-link`. */
  personId: string
}

/** The sandbox listens at a fixed distance from the demo's port, so that bookmarks still work after a restart. */
const SANDBOX_PORTS_ABOVE = 10
const PORT_MAX = 65_535

const SEED = 20_260_301

interface DemoOptions {
  /** Prints a line. */
  say?: (lines: string) => void
  clock?: Clock
  /** Waits between the rounds of the demo's simulated life. */
  wait?: Wait
  /** Waits before the next publisher starts after one was killed. */
  restartWait?: Wait
  /** True if a person reads the output and no log keeps it. */
  isSeen?: boolean
  again?: boolean
}

/** A demo that is starting, with its settings and its sandbox. */
interface Demo {
  settings: Readonly<Config>
  clock: Clock
  demoClock: DemoClock
  say: (lines: string) => void
  earlier: DemoFile | undefined
  platform: DemoModel
  sandbox: Sandbox
  operatorToken: string
  port: number
  publicUrl: string
}

/**
 * Starts the whole service with made-up data on the embedded database, and the sandbox instead of the platform. The first
 * start fills the database. Later starts find its data through demo.json.
 */
export async function runDemo(settings: Readonly<Config>, options: DemoOptions = {}): Promise<RunningServer> {
  const { clock = systemClock, wait = waitJittered, isSeen = isTerminal(), again = false } = options
  const { say = (lines: string) => void process.stdout.write(`${lines}\n`) } = options
  const publisher = createKillablePublisher(options.restartWait ?? waitJittered)
  // The URLs of media contain the port before it is open, and a port in use is reported before the database is filled.
  const port = await findPort(settings)
  const earlier = readDemoFile(demoPath(settings))
  const { cutoffDate } = settings.insights
  const begun = {
    ...{ settings, clock, say, earlier, port, demoClock: new DemoClock(clock) },
    platform: makeDemoModel({ seed: SEED, today: toBareDate(clock.now()), cutoffDate }),
    operatorToken: settings.access.operatorToken ?? earlier?.operatorToken ?? newSecret(),
    publicUrl: settings.http.publicUrl ?? `http://127.0.0.1:${port}`,
  }
  const sandbox = await openSandbox(begun, publisher.kill)
  const demo: Demo = { ...begun, sandbox }
  try {
    say('Starting the embedded database.')
    const context = await createContext(demoConfig(demo), { clock }, 'demo', again)
    const server = await fillAndListen(demo, context, { start: publisher.start, isSeen, wait })
    return {
      ...server,
      async close() {
        await server.close()
        await sandbox.close()
      },
    }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

async function openSandbox(
  { settings, clock, demoClock, say, platform: { model } }: Omit<Demo, 'sandbox'>,
  killPublisher: () => void,
): Promise<Sandbox> {
  const wanted = sandboxPort(settings.http.port)
  // The demo's clock is set back to a time before the API version of the calls was released.
  const clocks = { clock: demoClock, versionsClock: clock }
  const start = (port: number) => startSandbox({ model, ...clocks, panel: { killPublisher }, port })
  const sandbox = await start(wanted).catch(() => start(0))
  if (wanted !== 0 && sandbox.url !== `http://127.0.0.1:${wanted}`) {
    say(`Port ${wanted} is in use by another program, so the sandbox is at ${sandbox.url} this time.`)
  }
  return sandbox
}

const demoConfig = ({ settings, operatorToken, port, publicUrl, sandbox }: Demo): Config => ({
  ...settings,
  // Made-up data must not get into the user's own database or under the user's master key.
  database: { ...settings.database, url: undefined },
  masterKeys: { current: undefined, previous: undefined },
  access: { ...settings.access, operatorToken },
  http: { ...settings.http, port, publicUrl, earlierVariant: true },
  media: settings.media ?? { dir: join(settings.database.dataDir, 'media'), metadata: 'remove' },
  graph: { ...settings.graph, baseUrl: sandbox.url, instagramUrl: sandbox.instagramUrl, appSecret: undefined },
  // Comments whose webhook is lost are found within seconds.
  automation: { ...settings.automation, pollMs: Math.min(settings.automation.pollMs, 5_000) },
  // One line per request would hide the demo's output. LOG_LEVEL=debug shows them.
  log: { ...settings.log, level: settings.log.level === 'info' ? 'warn' : settings.log.level },
})

async function fillAndListen(
  demo: Demo,
  context: AppContext & { close(): Promise<void> },
  { start, isSeen, wait }: { start: typeof startPublisher; isSeen: boolean; wait: Wait },
): Promise<RunningServer> {
  const { clock, operatorToken, platform, publicUrl, sandbox, say, settings } = demo
  try {
    const { ids, sources } = await prepare(demo, context)
    const personId = await makeDemoPerson(context.database, new Date(clock.now()))
    say('Starting the server.')
    const server = await listen(context, ROLES, undefined, start)
    const file: DemoFile = {
      ...ids,
      baseUrl: `${server.url}/v1`,
      earlierBaseUrl: `${server.url}/v0`,
      operatorUrl: `${server.url}/api`,
      operatorToken,
      sandboxUrl: sandbox.url,
      personId,
    }
    writeDemoFile(demoPath(settings), file)
    const operator = new GreenroomApi({ baseUrl: file.operatorUrl, token: operatorToken })
    const link = isSeen ? await operator.call('createSignInLink', { personId }) : undefined
    sayReady(demo, file, server.url, link?.path)
    const mediaUrl = (name: string) => `${publicUrl}${ids.media[name]}`
    const { senders } = sandbox
    const { key } = ids
    const runtime = { ...systemRuntime, now: () => clock.now() }
    const api = new Greenroom({ baseUrl: file.baseUrl, key: key.id, secret: key.secret }, runtime)
    const life = startLife({ context, platform, ids, sources, senders, url: server.url, api, operator, mediaUrl }, wait)
    return {
      ...server,
      async close() {
        await life.stop()
        await server.close()
      },
    }
  } catch (error) {
    await context.close()
    throw error
  }
}

/**
 * Returns the data of an earlier start, or creates it on a separate service before the real one listens. The real one then
 * finds the source of the inbox when it starts, and subscribes the channels immediately.
 */
async function prepare(
  demo: Demo,
  { config, database }: AppContext,
): Promise<{ ids: DemoIds; sources: SourcesOfDemo }> {
  const { demoClock, earlier, operatorToken, platform, say } = demo
  const onLoopback = {
    ...config,
    http: { ...config.http, host: '127.0.0.1', port: 0 },
    log: { ...config.log, level: 'silent' as const },
    // The clock of this service jumps between days, so a bucket emptied on one day would still be empty on the day before.
    limits: { ...config.limits, keyRequestsPerSecond: 0 },
  }
  const context = await createContext(onLoopback, { clock: demoClock, database }, 'demo')
  const { url, close } = await listen({ ...context, close: async () => {} }, ['api'])
  try {
    const operator = new GreenroomApi({ baseUrl: `${url}/api`, token: operatorToken })
    const { items: organizations } = await operator.call('listOrganizations')
    const isThere = earlier !== undefined && organizations.some(({ id }) => id === earlier.organizationId)
    let ids: DemoIds
    if (isThere) {
      await connectToSandbox(operator, earlier, platform)
      ids = earlier
    } else {
      say('Filling the database with made-up data (first start only).')
      ids = await fillDemo({ context, clock: demoClock, url, operator }, platform, (what) => say(`  ${what}`))
    }
    return { ids, sources: await openSources(operator, ids.organizationId) }
  } finally {
    await close()
  }
}

function sayReady(
  { settings, say, sandbox, platform, publicUrl }: Demo,
  demo: DemoFile,
  url: string,
  signIn: string | undefined,
): void {
  const audience = `/vip-users?workspaceId=${demo.workspaceId}&mediumId=${demo.channelId}`
  // Commands look for the demo in DATA_DIR, like the demo itself, but a service that is set up here takes precedence.
  const dataDir = toShownPath(settings.database.dataDir)
  const isFound = dataDir === DEMO_DATA_DIR && !existsSync(settingsFile(SETTINGS.DATA_DIR[0]))
  const greenroom = `${isFound ? '' : `DATA_DIR=${toShellWord(dataDir)} `}npx greenroom`
  say(`
Greenroom demo: made-up data in ${dataDir}, and a sandbox at ${sandbox.url} instead of Meta.

  Sign in     ${signIn === undefined ? `${greenroom} demo-link` : `${url}${signIn}`}
              ${signIn === undefined ? 'prints a link, which works once within 15 minutes' : `works once within 15 minutes; for a new link: ${greenroom} demo-link`}
  Reference   ${url}/docs
  Ids, keys   ${join(dataDir, 'demo.json')}
  Break it    ${sandbox.url}/
              make the platform fail, lose answers or refuse the token, or kill the publisher: no post is
              published twice; make shops and inboxes deliver late, twice, out of order or a thousand at once:
              nothing is counted twice

A post due in three minutes is waiting for your approval. It then appears on its page: ${sandbox.url}/pages/${platform.pageId}
There, comment SIZE as Ana below the linen shirts, and the superpower of that post answers.

Try, in another terminal in this directory:

  ${greenroom} call GET '${audience}&limit=3'
  ${greenroom} insights ${demo.adAccountId}
  ${greenroom} posts list
  ${greenroom} call PATCH /scheduled-posts/${demo.scheduledPostIds.rejected} --data '{"status":"DRAFT"}'
  ${greenroom} call GET '${audience}&limit=3' --print-curl
  ${greenroom} organizations list

A post, from draft to published a minute later:

  post=$(${greenroom} posts create --quiet --scheduled-for +1m \\
    --media '${publicUrl}${demo.media['lanterns.jpg']}' \\
    --channel ${demo.channelId}='Lanterns tonight at eight 🏮' \\
    --channel ${demo.largeChannelId}='Lanterns tonight! #lanterns')
  ${greenroom} posts submit $post
  ${greenroom} posts approve ${demo.organizationId} $post --yes
  ${greenroom} posts get $post
  ${greenroom} posts history ${demo.organizationId} $post
  ${greenroom} status

Ready at ${url}. Press Ctrl-C to stop it. The data is kept for the next start.`)
}

const demoPath = (settings: Readonly<Config>): string => join(settings.database.dataDir, 'demo.json')

/** Returns the port of the sandbox. It is 0 (any free port) if the demo itself takes a free port. */
function sandboxPort(port: number): number {
  if (port === 0) return 0
  return port + SANDBOX_PORTS_ABOVE <= PORT_MAX ? port + SANDBOX_PORTS_ABOVE : port - SANDBOX_PORTS_ABOVE
}

/** Returns the configured port, or a free one if that is 0. Throws the error of `listen` if the port is in use. */
async function findPort({ http: { host, port } }: Readonly<Config>): Promise<number> {
  const server = createServer().listen(port, port === 0 ? '127.0.0.1' : host)
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}

function readDemoFile(path: string): DemoFile | undefined {
  // If the file is missing or incomplete, the data of an earlier start cannot be found, so new data is created.
  return parseJson(readIfThere(path) ?? '') as DemoFile | undefined
}

function writeDemoFile(path: string, demo: DemoFile): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
