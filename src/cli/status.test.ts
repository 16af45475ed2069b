import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CliRun, greenroom } from '../../test/cli.js'
import { type ConfigChanges, withConfig } from '../../test/config.js'
import {
  MASTER_KEY,
  OPERATOR_TOKEN,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
  TestClock,
} from '../../test/harness.js'
import { insertPost } from '../../test/posts.js'
import { openOwnDatabase } from '../../test/test-database.js'
import { buildApp } from '../app.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import { DatabaseUnavailableError } from '../database/database.js'
import type { PublisherView } from '../observability/health.js'
import type { Metrics } from '../observability/metrics.js'

let app: FastifyInstance
let context: TestApp['context']
let clock: TestClock
let engine: string
let metrics: Metrics
let publisher: { lastTickAt: Date | undefined; oldestDueAt: Date | undefined }

const view: PublisherView = {
  lastTickAt: () => publisher.lastTickAt,
  oldestDueAt: async () => publisher.oldestDueAt,
  postsByStatus: async () => ({ DRAFT: 3, PUBLISHED: 41 }),
}

/** Starts a service on a separate database, because the status covers all organizations. */
async function start(options: { publisher?: PublisherView }, config: ConfigChanges = {}): Promise<void> {
  clock = new TestClock()
  const settings = withConfig(readConfig({ MASTER_KEY, OPERATOR_TOKEN }), config)
  const log = pino({ level: 'silent' })
  context = await createContext(settings, { clock, log, database: await openOwnDatabase() })
  engine = context.database.engine
  metrics = context.metrics
  publisher = { lastTickAt: new Date(clock.now() - 400), oldestDueAt: undefined }
  app = await buildApp(context, { ...TEST_OPTIONS, ...options })
  await app.listen({ host: '127.0.0.1', port: 0 })
}
beforeEach(() => start({ publisher: view }))
afterEach(() => app.close())

async function status(code: number, terminal: 'both' | 'none' = 'none'): Promise<CliRun> {
  const { port } = app.server.address() as AddressInfo
  const env = { GREENROOM_URL: `http://127.0.0.1:${port}` }
  const result = await greenroom(['status'], { clock, env, terminal })
  expect(result.code, result.stderr).toBe(code)
  return result
}

test("shows the publisher's last tick, the oldest due post, posts by status and the delays, without any secret", async () => {
  publisher.oldestDueAt = new Date(clock.now() - 90_000)
  for (const delayMs of [300, 400, 800, 1_500]) metrics.countPublished(delayMs)
  expect(JSON.parse((await status(0)).stdout)).toEqual({
    ready: true,
    database: engine,
    publisher: {
      lastTickAt: new Date(clock.now() - 400).toISOString(),
      oldestDueAt: new Date(clock.now() - 90_000).toISOString(),
      postsByStatus: { DRAFT: 3, PUBLISHED: 41 },
      published: { count: 4, p50Seconds: 0.5, p95Seconds: 2 },
    },
  })
})

test('shows the waiting deliveries of sources, and their problems', async () => {
  const { database } = context
  await database.query(`insert into organizations (organization_id, name, created_at) values ('org_1', 'One', now())`)
  await database.query(`insert into live_audiences (organization_id, live_since_ms) values ('org_1', 0)`)
  await database.query(
    `insert into sources (organization_id, source_id, type, name, created_at, updated_at)
     values ('org_1', 'src_1', 'EVENTS', 'App', now(), now())`,
  )
  const oldestAt = new Date(clock.now() - 2_000)
  await database.query(
    `insert into inbox (organization_id, source_id, headers, body, received_at) values ('org_1', 'src_1', '{}', '', $1)`,
    [oldestAt],
  )
  const inbox = { sources: 1, waiting: 1, oldestAt: oldestAt.toISOString(), problems: 0 }
  expect(JSON.parse((await status(0)).stdout)).toMatchObject({ inbox })
  expect((await status(0, 'both')).stdout).toContain(`1 waiting since ${oldestAt.toISOString()}, 0 problems`)
  context.intake.countUnknownKey()
  const lastAt = new Date(clock.now()).toISOString()
  expect(JSON.parse((await status(0)).stdout).inbox.unknownKeys).toEqual({ refused: 1, lastAt })
  expect((await status(0, 'both')).stdout).toContain(`1 refused since the start, last at ${lastAt}`)
})

test('shows how many posts are late, and why', async () => {
  const oldestDueAt = new Date(clock.now() - 120_000)
  await insertPost(await Tenant.create({ app, context, clock }), { status: 'SCHEDULED', scheduledFor: oldestDueAt })
  const latePosts = { count: 1, oldestDueAt: oldestDueAt.toISOString(), reasons: { publisher_off: 1 } }
  expect(JSON.parse((await status(0)).stdout)).toMatchObject({ latePosts })
  expect((await status(0, 'both')).stdout).toMatch(/^late posts +1, publisher_off 1$/m)
})

test('prints a line each on a terminal', async () => {
  expect((await status(0, 'both')).stdout.split('\n')).toEqual([
    'ready       yes',
    `database    ${engine}`,
    `last tick   ${new Date(clock.now() - 400).toISOString()}`,
    'oldest due  none',
    'DRAFT       3',
    'PUBLISHED   41',
    'published   0 since the start',
    '',
  ])
  metrics.countPublished(2 * 86_400_000)
  expect((await status(0, 'both')).stdout).toContain('published   1 since the start; half were late by more than a day')
})

test('a stalled publisher is reported, with what is known of it, and exits with 1', async () => {
  clock.advance(61_000)
  const { stdout, stderr } = await status(1)
  expect(JSON.parse(stdout)).toMatchObject({ ready: false, publisher: { postsByStatus: { DRAFT: 3 } } })
  expect(stderr).toMatch(/^The publisher has not looked for due posts/)
})

test('a server without its database reports only that it is not ready, and why', async () => {
  const away = async (): Promise<never> => {
    throw new DatabaseUnavailableError(new Error('connect ECONNREFUSED 10.0.0.7'))
  }
  await app.close()
  app = await buildApp({ ...context, database: { ...context.database, query: away } }, { publisher: view })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { stdout, stderr } = await status(1)
  expect(JSON.parse(stdout)).toEqual({ ready: false, problem: expect.stringContaining('database') })
  expect(stderr).toMatch(/^The database is unreachable/)
  expect((await status(1, 'both')).stdout).toBe('ready  no\n')
})

test('a server without the publisher says that it runs elsewhere', async () => {
  await app.close()
  await start({})
  expect(JSON.parse((await status(0)).stdout)).toEqual({ ready: true, database: engine })
  expect((await status(0, 'both')).stdout).toContain('publisher  in another process')
})

test('a maximum age says how many it ends', async () => {
  await app.close()
  await start({}, { access: { keyMaxAgeMs: 3_650 * 86_400_000, operatorTokenMaxAgeMs: 3_650 * 86_400_000 } })
  const { stdout } = await status(0, 'both')
  expect(stdout).toContain('keys by age             0 expire within 14 days, 0 have expired')
  expect(stdout).toContain('operator tokens by age  0 expire within 14 days, 0 have expired')
})

test('an unreachable server exits with 3', async () => {
  const { port } = app.server.address() as AddressInfo
  await app.close()
  const result = await greenroom(['status'], { env: { GREENROOM_URL: `http://127.0.0.1:${port}` } })
  expect(result).toMatchObject({ code: 3, stdout: '' })
  expect(result.stderr).toContain('connection refused')
  await start({})
})

test.each([
  ['another machine', '192.0.2.1'],
  ['this machine', '127.0.0.1'],
])('from %s uses GREENROOM_METRICS_TOKEN if METRICS_TOKEN is set, and says so', async (_name, address) => {
  const forwarded = { 'x-forwarded-for': address }
  const metricsToken = 'token-of-the-metrics'
  const { context } = await startTestApp({ metrics: { token: metricsToken }, http: { trustProxy: ['127.0.0.1'] } })
  const own = await buildApp(context)
  // A proxy on this machine forwards requests like this.
  own.server.prependListener('request', (request) => Object.assign(request.headers, forwarded))
  await own.listen({ host: '127.0.0.1', port: 0 })
  const ask = (token?: string): Promise<CliRun> => {
    const env = { GREENROOM_URL: `http://127.0.0.1:${(own.server.address() as AddressInfo).port}` }
    return greenroom(['status'], { clock, env: token === undefined ? env : { ...env, GREENROOM_METRICS_TOKEN: token } })
  }
  try {
    const refused = await ask()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Set GREENROOM_METRICS_TOKEN')])
    expect((await ask('wrong')).code).toBe(1)
    expect((await ask(metricsToken)).code).toBe(0)
  } finally {
    await own.close()
  }
})
