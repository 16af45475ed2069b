import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startSandbox } from '../packages/sandbox/src/sandbox.js'
import { withConfig } from '../test/config.js'
import { signedHeaders, startTestApp, Tenant, type TestApp } from '../test/harness.js'
import { insertPost, listPublications, publishable } from '../test/posts.js'
import { openPublisherDatabase } from '../test/publisher-harness.js'
import { channelTokenContext, setChannelToken } from './channels/channels.store.js'
import { createContext } from './context.js'
import { DatabaseUnavailableError } from './database/database.js'
import { MigrationError } from './database/migrate.js'
import { DataDirectoryInUseError } from './database/pglite/in-use.js'
import { listen, type RunningServer, startProblem } from './serve.js'

let app: TestApp
let tenant: Tenant
let server: RunningServer
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})
afterEach(() => server.close())

/** Only the API: a publisher would take the posts of other tests. */
const start = async (stopTimeoutMs: number): Promise<RunningServer> => {
  const config = withConfig(app.context.config, { http: { host: '127.0.0.1', port: 0, stopTimeoutMs } })
  return listen({ ...app.context, config, close: async () => {} }, ['api'])
}

/** A signed PATCH whose headers have reached the server and whose body has not. */
async function startRequest(url: string): Promise<http.ClientRequest> {
  const headers = {
    ...signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString()),
    'x-api-version': '1',
    'content-type': 'application/json',
    expect: '100-continue',
  }
  const request = http.request(`${url}/v1/scheduled-posts/post_x`, {
    method: 'PATCH',
    agent: new http.Agent({ keepAlive: true }),
    headers,
  })
  request.flushHeaders()
  await once(request, 'continue')
  return request
}

test('/metrics is only at METRICS_ADDRESS if that is set', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const config = withConfig(app.context.config, {
    ...{ http: { host: '127.0.0.1', port: 0, stopTimeoutMs: 1_000 } },
    metrics: { address: { host: '127.0.0.1', port: 0 } },
  })
  server = await listen({ ...app.context, config, log, close: async () => {} }, ['api'])
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  const [, url] = /The metrics are at (\S+?)"/.exec(lines.join(''))!
  const response = await fetch(url!)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('process_')])
})

test('a stop waits only for running requests', async () => {
  server = await start(20_000)
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(silent, 'connect')
  const request = await startRequest(server.url)
  const answered = once(request, 'response')
  const startedAt = performance.now()
  const closed = server.close()
  request.end('{}')
  const [response] = await answered
  expect(response.statusCode).toBe(404)
  response.resume()
  await closed
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('a stop keeps serving for DRAIN_MS, reports not ready, and closes each connection with its response', async () => {
  const config = withConfig(app.context.config, { http: { host: '127.0.0.1', port: 0, drainMs: 3_000 } })
  let endDrain = (): void => {}
  const drains: number[] = []
  const wait = (ms: number): Promise<void> => {
    drains.push(ms)
    return new Promise((resolve) => {
      endDrain = resolve
    })
  }
  server = await listen({ ...app.context, config, close: async () => {} }, ['api'], wait)
  const agent = new http.Agent({ keepAlive: true })
  const get = async (path: string) => {
    const headers = { ...signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString()), 'x-api-version': '1' }
    const request = http.get(`${server.url}${path}`, { agent, headers })
    const [response]: http.IncomingMessage[] = await once(request, 'response')
    response!.resume()
    await once(response!, 'close')
    return [response!.statusCode, response!.headers.connection, request.reusedSocket]
  }
  expect(await get('/readyz')).toEqual([200, 'keep-alive', false])
  const closed = server.close()
  expect(drains).toEqual([3_000])
  // The first call uses the open connection, the others a new one each.
  expect(await get('/v1/workspaces')).toEqual([200, 'close', true])
  expect(await get('/readyz')).toEqual([503, 'close', false])
  expect(await get('/v1/workspaces')).toEqual([200, 'close', false])
  expect(await get('/healthz')).toEqual([200, 'close', false])
  endDrain()
  await closed
  await expect(get('/healthz')).rejects.toThrow('ECONNREFUSED')
})

test('a stop cuts a request that does not end', async () => {
  server = await start(1)
  const request = await startRequest(server.url)
  const cut = once(request, 'error')
  await server.close()
  expect((await cut)[0].code).toBe('ECONNRESET')
})

test.each([
  ['api', { publishes: false, sends: false }],
  ['worker', { publishes: false, sends: true }],
  // As before the role worker existed: a fleet of api and publisher keeps sending.
  ['publisher', { publishes: true, sends: true }],
] as const)('the role %s does only its part', async (role, expected) => {
  const { context } = app
  const query = vi.fn(context.database.query)
  const publisher = { tick: vi.fn(), stop: vi.fn(), status: () => ({}) as never }
  const begin = vi.fn(() => publisher)
  const config = withConfig(context.config, { http: { host: '127.0.0.1', port: 0 } })
  const database = { ...context.database, query: query as typeof context.database.query }
  server = await listen({ ...context, config, database, close: async () => {} }, [role], undefined, begin)
  await server.close()
  const sends = query.mock.calls.some(([text]) => text.includes('webhook_deliveries'))
  expect({ publishes: begin.mock.calls.length > 0, sends }).toEqual(expected)
})

test('a stop lets the publisher store what it is sending before the database is closed', async () => {
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages: [] }, clock: app.clock })
  onTestFinished(() => sandbox.close())
  const { database } = await openPublisherDatabase()
  const config = withConfig(app.context.config, {
    http: { host: '127.0.0.1', port: 0 },
    graph: { baseUrl: sandbox.url },
  })
  const context = await createContext(config, { clock: app.clock, database, log: app.context.log })
  onTestFinished(() => context.close())
  const own = await Tenant.create({ ...app, context })
  const channelId = await own.channel()
  sandbox.model.pages!.push({
    id: channelId.replace('FB_PAGE_', ''),
    platform: 'facebook',
    name: 'Page',
    accessToken: 't',
  })
  const sealed = context.sealer.seal('t', channelTokenContext(own.organizationId, channelId))
  await setChannelToken(database, own.organizationId, channelId, sealed)
  const due = { status: 'SCHEDULED', scheduledFor: new Date(app.clock.now()) } as const
  const postId = await insertPost(own, { ...publishable(channelId), ...due })

  let answer = (): void => {}
  const until = new Promise<void>((resolve) => {
    answer = resolve
  })
  sandbox.faults.add({ match: /\/feed$/, fault: { kind: 'accepted-then-slow', until } })
  let atClose: unknown
  server = await listen({
    ...context,
    async close() {
      atClose ??= await listPublications(database, own.organizationId, postId)
    },
  })
  await vi.waitFor(() => expect(sandbox.published).toHaveLength(1))
  const closed = server.close()
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  expect(atClose).toBeUndefined()
  answer()
  await closed
  expect(atClose).toMatchObject([{ channel_id: channelId, external_id: sandbox.published[0]!.id }])
})

test('a start warns about keys that expire by their maximum age', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const config = withConfig(app.context.config, { http: { host: '127.0.0.1', port: 0, stopTimeoutMs: 1_000 } })
  const warnings = async (keyMaxAgeMs: number): Promise<Record<string, unknown>[]> => {
    lines.length = 0
    server = await listen(
      { ...app.context, config: withConfig(config, { access: { keyMaxAgeMs } }), log, close: async () => {} },
      ['api'],
    )
    await server.close()
    return lines.map((line) => JSON.parse(line)).filter(({ setting }) => setting === 'KEY_MAX_AGE_DAYS')
  }
  expect(await warnings(3_650 * 86_400_000)).toEqual([])
  const [warning] = await warnings(14 * 86_400_000)
  expect(warning).toMatchObject({ what: 'keys', examples: expect.arrayContaining([expect.stringMatching(/^key_/)]) })
})

test('a failed start that a person can fix ends in a sentence that says how', async () => {
  server = await start(1_000)
  const { port } = new URL(server.url)
  const config = withConfig(app.context.config, {
    http: { host: '127.0.0.1', port: Number(port) },
    database: { dataDir: '/var/lib/greenroom' },
  })
  const inUse = await listen({ ...app.context, config, close: async () => {} }, ['api']).catch(
    (error: unknown) => error,
  )
  const fileError = (code: string, path: string) => Object.assign(new Error(`${code}: mkdir`), { code, path })
  const listenError = (code: string) => Object.assign(new Error(code), { code, syscall: 'listen' })
  const sentences = [
    inUse,
    listenError('EACCES'),
    listenError('EADDRNOTAVAIL'),
    new DataDirectoryInUseError('The data directory is in use by process 7.'),
    new DatabaseUnavailableError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })),
    new MigrationError('The database is newer.'),
    fileError('EROFS', '/var/lib/greenroom/master.key'),
    fileError('EACCES', '/var/lib'),
    Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' }),
    new Error('a fault of ours'),
    fileError('ENOENT', '/usr/lib/somewhere-else'),
  ].map((error) => startProblem(error, config))
  expect(sentences).toEqual([
    `Port ${port} of 127.0.0.1 is in use: stop what listens there, or set PORT (0 takes a free one).`,
    `Port ${port} is not open to this user: set PORT to 1024 or more.`,
    'HOST 127.0.0.1 is not an address of this machine (EADDRNOTAVAIL).',
    'The data directory is in use by process 7.',
    'The database cannot be opened: ECONNREFUSED.',
    'The database is newer.',
    'DATA_DIR /var/lib/greenroom cannot be used: its disk is read-only: mount it for writing, or set another DATA_DIR.',
    'DATA_DIR /var/lib/greenroom cannot be used: this user may not read and write there: chown it to the user that runs the service, or set another DATA_DIR.',
    'DATA_DIR /var/lib/greenroom cannot be used: its disk is full: free some space there, or set another DATA_DIR.',
    undefined,
    undefined,
  ])
})
