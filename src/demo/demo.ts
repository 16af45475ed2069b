import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { makeDemoPerson } from '../access/people/owner-link.js'
import { Greenroom, GreenroomOperator } from '../client/index.js'
import { systemRuntime } from '../client/runtime.js'
import { DEMO_DATA_DIR } from '../config/client.js'
import { type Config, SETTINGS } from '../config/index.js'
import { type AppContext, createContext } from '../context.js'
import { type Clock, systemClock } from '../lib/clock.js'
import { newSecret } from '../lib/ids.js'
import { settingsFile } from '../lib/settings-file.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import { makeDemoModel } from '../sandbox/model.js'
import { startSandbox } from '../sandbox/sandbox.js'
import { isReadByPerson, listen, ROLES, type RunningServer } from '../serve.js'
import { connectToSandbox, DemoClock, type DemoIds, type DemoService, fillDemo } from './fill.js'
import { createKillablePublisher } from './killable-publisher.js'
import { startLife } from './life.js'
import { uploadDemoMedia } from './media.js'
import { pagesBuilt } from './pages.js'

/** The content of demo.json: all that is needed to call the demo. */
interface DemoFile extends DemoIds {
  baseUrl: string
  earlierBaseUrl: string
  operatorUrl: string
  operatorToken: string
  /** `/pages/<platform id>` of it shows what is published; at `/` people break it. */
  sandboxUrl: string
  /** Signs in by the links of `greenroom demo-link`. */
  personId: string
}

/** The sandbox listens at a fixed distance from the demo's own port, so that a bookmark of it holds over a restart. */
const SANDBOX_PORTS_ABOVE = 10
const PORT_MAX = 65_535

const SEED = 20_260_301

/**
 * The whole service on the embedded database with made-up data, and the sandbox in the ad platform's place. The first
 * start fills the database; a later one finds it by demo.json. `say` prints a line, `wait` is between the rounds of its
 * life, `restartWait` before another publisher after one was killed; `isSeen`: whether a person reads what it says, and
 * no log keeps it.
 */
export async function runDemo(
  settings: Readonly<Config>,
  {
    say = printLine,
    clock = systemClock,
    wait = waitJittered,
    restartWait = waitJittered,
    isSeen = isReadByPerson(),
    again = false,
  }: {
    say?: (lines: string) => void
    clock?: Clock
    wait?: Wait
    restartWait?: Wait
    isSeen?: boolean
    again?: boolean
  } = {},
): Promise<RunningServer> {
  const path = join(settings.database.dataDir, 'demo.json')
  const earlier = readDemoFile(path)
  const platform = makeDemoModel({
    seed: SEED,
    today: bareDate(clock.now()),
    cutoffDate: settings.insights.cutoffDate,
  })
  const demoClock = new DemoClock(clock)
  const publisher = createKillablePublisher(restartWait)
  // The URLs of the media name it, before it listens; and one that is taken is found before the database is filled.
  const port = await findPort(settings)
  const publicUrl = settings.http.publicUrl ?? `http://127.0.0.1:${port}`
  const wantedPort = sandboxPort(settings.http.port)
  const sandbox = await startSandbox({
    model: platform.model,
    clock: demoClock,
    panel: { killPublisher: publisher.kill },
    port: wantedPort,
  })
  if (wantedPort !== 0 && sandbox.url !== `http://127.0.0.1:${wantedPort}`) {
    say(`Port ${wantedPort} is in use by something else: this time the sandbox is at ${sandbox.url}.`)
  }
  const operatorToken = settings.access.operatorToken ?? earlier?.operatorToken ?? newSecret()
  try {
    const context = await createContext(
      {
        ...settings,
        // Made-up data must not get into the user's own database, nor under the user's master key.
        database: { ...settings.database, url: undefined },
        masterKeys: { current: undefined, previous: undefined },
        access: { ...settings.access, operatorToken },
        http: { ...settings.http, port, publicUrl, earlierVariant: true },
        media: settings.media ?? { dir: join(settings.database.dataDir, 'media'), metadata: 'remove' },
        graph: { ...settings.graph, baseUrl: sandbox.url, appSecret: undefined },
        // A line for each request would hide what the demo prints; LOG_LEVEL=debug shows them.
        log: { ...settings.log, level: settings.log.level === 'info' ? 'warn' : settings.log.level },
      },
      { clock },
      'demo',
      again,
    )
    const server = await fillAndListen(context)
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

  async function fillAndListen(context: AppContext & { close(): Promise<void> }): Promise<RunningServer> {
    try {
      const ids = await prepare(context)
      const personId = await makeDemoPerson(context.database, new Date(clock.now()))
      await pagesBuilt()
      const server = await listen(context, ROLES, undefined, publisher.start)
      const demo: DemoFile = {
        ...ids,
        baseUrl: `${server.url}/v1`,
        earlierBaseUrl: `${server.url}/v0`,
        operatorUrl: `${server.url}/operator`,
        operatorToken,
        sandboxUrl: sandbox.url,
        personId,
      }
      writeDemoFile(path, demo)
      const clients = clientsOf(demo)
      const link = isSeen ? await clients.operator.users.createSignInLink(personId) : undefined
      sayReady(demo, server.url, link?.path)
      const life = startLife(
        { context, platform, ids, ...clients, mediaUrl: (name) => `${publicUrl}${ids.media[name]}` },
        wait,
      )
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

  function clientsOf({ baseUrl, operatorUrl, key }: DemoFile): { api: Greenroom; operator: GreenroomOperator } {
    const runtime = { ...systemRuntime, now: () => clock.now() }
    return {
      api: new Greenroom({ baseUrl, key: key.id, secret: key.secret }, runtime),
      operator: new GreenroomOperator({ baseUrl: operatorUrl, token: operatorToken }),
    }
  }

  /** The data of an earlier start or new data, made on a service of its own before the real one listens. */
  async function prepare({ config, database }: AppContext): Promise<DemoIds> {
    const onLoopback = {
      ...config,
      http: { ...config.http, host: '127.0.0.1', port: 0 },
      log: { ...config.log, level: 'silent' as const },
      limits: { ...config.limits, keyRequestsPerSecond: 0 },
    }
    const context = await createContext(onLoopback, { clock: demoClock, database }, 'demo')
    const { url, close } = await listen({ ...context, close: async () => {} }, ['api'])
    try {
      const operator = new GreenroomOperator({ baseUrl: `${url}/operator`, token: operatorToken })
      const organizations = await operator.organizations.list()
      if (earlier === undefined || !organizations.some(({ id }) => id === earlier.organizationId)) {
        return await fillOnce({ context, clock: demoClock, url, operator })
      }
      await connectToSandbox(operator, earlier, platform)
      // An earlier version had no media.
      return { ...earlier, media: earlier.media ?? (await uploadDemoMedia(operator, earlier.organizationId)) }
    } finally {
      await close()
    }
  }

  async function fillOnce(service: DemoService): Promise<DemoIds> {
    say('Filling the embedded database with made-up data; only the first start does this.')
    let landed = 0
    const ids = await fillDemo(service, platform, (count) => {
      landed += count
      if (landed % 10_000 < count) say(`  ${landed} conversations`)
    })
    return ids
  }

  function sayReady(demo: DemoFile, url: string, signIn: string | undefined): void {
    const audience = `/vip-users?workspaceId=${demo.workspaceId}&mediumId=${demo.channelId}`
    // The commands look for the demo in DATA_DIR, like the demo itself; a service that is set up here goes before it.
    const dataDir = relative('', settings.database.dataDir).startsWith('..')
      ? settings.database.dataDir
      : relative('', settings.database.dataDir)
    const isFound = dataDir === DEMO_DATA_DIR && !existsSync(settingsFile(SETTINGS.DATA_DIR[0]))
    const greenroom = `${isFound ? '' : `DATA_DIR='${dataDir}' `}npx greenroom`
    say(`
Greenroom demo: made-up data in ${dataDir}, and a sandbox at ${sandbox.url} in place of Meta's ad platform.

  Sign in     ${signIn === undefined ? `${greenroom} demo-link` : `${url}${signIn}`}
              ${signIn === undefined ? 'prints a link: once, within 15 minutes' : `once, within 15 minutes; another: ${greenroom} demo-link`}
  Reference   ${url}/docs
  Ids, keys   ${join(dataDir, 'demo.json')}
  Break it    ${sandbox.url}/
              the platform fails, loses answers, refuses the token, the publisher is killed: nothing goes out twice

A post due in three minutes waits for your approval; then it is on its page: ${sandbox.url}/pages/${platform.pageId}

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

Ready at ${url}. Ctrl-C stops it; start it again and the data is still there.`)
  }
}

/** Gives the port of the sandbox; 0, which is any free one, beside a demo that takes a free one itself. */
function sandboxPort(port: number): number {
  if (port === 0) return 0
  return port + SANDBOX_PORTS_ABOVE <= PORT_MAX ? port + SANDBOX_PORTS_ABOVE : port - SANDBOX_PORTS_ABOVE
}

/** Gives the port of the settings, or a free one where that is 0. Throws the error of `listen` for one that is taken. */
async function findPort({ http: { host, port } }: Readonly<Config>): Promise<number> {
  const server = createServer().listen(port, port === 0 ? '127.0.0.1' : host)
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}

function readDemoFile(path: string): DemoFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DemoFile
  } catch (error) {
    // Without the file, or with half of one, the data of an earlier start cannot be found: new data is made.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function writeDemoFile(path: string, demo: DemoFile): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

const bareDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
