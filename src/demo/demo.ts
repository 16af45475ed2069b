import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { issueDemoLink } from '../access/people/owner-link.js'
import { Greenroom, GreenroomOperator } from '../client/index.js'
import { systemRuntime } from '../client/runtime.js'
import { type Config, DEMO_DATA_DIR } from '../config.js'
import { type AppContext, createContext } from '../context.js'
import { type Clock, systemClock } from '../lib/clock.js'
import { newSecret } from '../lib/ids.js'
import { type Wait, waitJittered } from '../lib/wait.js'
import { makeDemoModel } from '../sandbox/model.js'
import { startSandbox } from '../sandbox/sandbox.js'
import { isReadByPerson, listen, ROLES, type RunningServer } from '../serve.js'
import { connectToSandbox, DemoClock, type DemoIds, type DemoService, fillDemo } from './fill.js'
import { createKillablePublisher } from './killable-publisher.js'
import { startLife } from './life.js'
import { uploadDemoMedia } from './media.js'

/** What demo.json holds: all that is needed to call the demo. */
interface DemoFile extends DemoIds {
  baseUrl: string
  earlierBaseUrl: string
  operatorUrl: string
  operatorToken: string
  /** `/pages/<platform id>` of it shows what is published; at `/` people break it. */
  sandboxUrl: string
}

const SEED = 20_260_301

/**
 * The whole service on the embedded database with made-up data, and the sandbox in the ad platform's place. The first
 * start fills the database; a later one finds it by demo.json. `say` prints a line, `wait` is between the rounds of its life,
 * `restartWait` before another publisher after one was killed; `isSeen`: whether a person reads what it says, and no log keeps it.
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
  const path = join(settings.dataDir, 'demo.json')
  const earlier = readDemoFile(path)
  const platform = makeDemoModel({
    seed: SEED,
    today: bareDate(clock.now()),
    cutoffDate: settings.insightsCutoffDate,
  })
  const demoClock = new DemoClock(clock)
  const publisher = createKillablePublisher(restartWait)
  const sandbox = await startSandbox({
    model: platform.model,
    clock: demoClock,
    panel: { killPublisher: publisher.kill },
  })
  const operatorToken = settings.operatorToken ?? earlier?.operatorToken ?? newSecret()
  // The URLs of the media name it, before it listens.
  const port = settings.port === 0 ? await findFreePort() : settings.port
  const publicUrl = settings.publicUrl ?? `http://127.0.0.1:${port}`
  try {
    const context = await createContext(
      {
        ...settings,
        // Made-up data must not get into the user's own database, nor under the user's master key.
        databaseUrl: undefined,
        masterKey: undefined,
        masterKeyPrevious: undefined,
        operatorToken,
        port,
        publicUrl,
        mediaDir: settings.mediaDir ?? join(settings.dataDir, 'media'),
        earlierVariant: true,
        graphBaseUrl: sandbox.url,
        graphAppSecret: undefined,
        // A line for each request would hide what the demo prints; LOG_LEVEL=debug shows them.
        logLevel: settings.logLevel === 'info' ? 'warn' : settings.logLevel,
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
      const server = await listen(context, ROLES, undefined, publisher.start)
      const demo: DemoFile = {
        ...ids,
        baseUrl: `${server.url}/v1`,
        earlierBaseUrl: `${server.url}/v0`,
        operatorUrl: `${server.url}/operator`,
        operatorToken,
        sandboxUrl: sandbox.url,
      }
      writeDemoFile(path, demo)
      const link = isSeen ? await issueDemoLink(context.database, new Date(clock.now())) : undefined
      sayReady(demo, server.url, link?.path)
      const life = startLife(
        { context, platform, ids, ...clientsOf(demo), mediaUrl: (name) => `${publicUrl}${ids.media[name]}` },
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
    const onLoopback = { ...config, host: '127.0.0.1', port: 0, logLevel: 'silent' } as const
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
    // The commands look for the demo in DATA_DIR, like the demo itself.
    const dataDir = relative('', settings.dataDir).startsWith('..') ? settings.dataDir : relative('', settings.dataDir)
    const greenroom = `${dataDir === DEMO_DATA_DIR ? '' : `DATA_DIR='${dataDir}' `}npx greenroom`
    say(`
Greenroom demo: made-up data in ${dataDir}, and a sandbox at ${sandbox.url} in place of Meta's ad platform.

  Sign in     ${signIn === undefined ? `${greenroom} users invite-owner` : `${url}${signIn}`}
              ${signIn === undefined ? 'prints a link: once, within an hour' : 'once, within 15 minutes; the next start prints another'}
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

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
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
