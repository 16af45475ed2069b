import { connect } from 'node:net'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../src/app.js'
import { type Database, DatabaseUnavailableError } from '../src/database/database.js'
import { signDate } from '../src/lib/sign-date.js'
import type { ConfigChanges } from './config.js'
import { OPERATOR_TOKEN, send, signedHeaders, startOwnTestApp, startTestApp, Tenant, type TestApp } from './harness.js'

/** Starts a test app whose database can be made to fail or wait, and whose log is kept. */
async function startFaulty(config: ConfigChanges = {}) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const plain = await startTestApp(config, log)
  const fault = { error: undefined as Error | undefined, gate: Promise.resolve() }
  const { database } = plain.context
  const check = async () => {
    await fault.gate
    if (fault.error !== undefined) throw fault.error
  }
  const faulty: Database = {
    ...database,
    async query(text, values) {
      await check()
      return database.query(text, values)
    },
    async transaction(work) {
      await check()
      return database.transaction(work)
    },
    async readInSnapshot(read) {
      await check()
      return database.readInSnapshot(read)
    },
  }
  const context = { ...plain.context, database: faulty }
  const app: TestApp = { ...plain, context, app: await buildApp(context, { checkAnswers: true }) }
  // The tenant is created through the plain database.
  const tenant = await Tenant.create({ ...app, context: plain.context })
  return { app, tenant, fault, logText: () => lines.join(''), logLines: () => lines.map((line) => JSON.parse(line)) }
}

describe('health', () => {
  test('/healthz and /readyz answer without a key', async () => {
    const { app, context } = await startTestApp()
    expect((await send(app, 200, 'GET', '/healthz')).body).toEqual({ status: 'alive' })
    expect((await send(app, 200, 'GET', '/readyz')).body).toEqual({
      status: 'ready',
      database: context.database.engine,
    })
  })

  test('without the database, the service is alive but not ready, requests get a 503, and it recovers automatically', async () => {
    const { app, tenant, fault, logLines } = await startFaulty()
    fault.error = new DatabaseUnavailableError(new Error('connect ECONNREFUSED 10.0.0.7'))
    await send(app.app, 200, 'GET', '/healthz')
    const { engine } = app.context.database
    // The embedded database is part of the process.
    await send(app.app, engine === 'pglite' ? 503 : 200, 'GET', '/readyz')
    const needed = await send(app.app, 503, 'GET', '/readyz?database=needed')
    expect(needed.headers['x-error-code']).toBe('database_unavailable')
    const reply = await tenant.get(503, '/workspaces')
    expect(reply.headers['x-error-code']).toBe('database_unavailable')
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.stringify(reply.body)).not.toContain('10.0.0.7')
    // Only the database itself logs the outage, and only once.
    expect(logLines().filter(({ level }) => level >= 40)).toEqual([])
    fault.error = undefined
    for (const query of ['', '?database=needed']) {
      expect((await send(app.app, 200, 'GET', `/readyz${query}`)).body).toEqual({ status: 'ready', database: engine })
    }
    await tenant.get(200, '/workspaces')
  })
})

test('a process without its PostgreSQL is ready unless the probe needs the database; callers get a 503 in JSON', async () => {
  const { app, tenant, fault } = await startFaulty()
  const { writes, ...database } = app.context.database
  const context = { ...app.context, database: { ...database, engine: 'postgres' as const } }
  const node = await buildApp(context, { checkAnswers: true })
  for (const query of ['', '?database=needed']) {
    const { body } = await send(node, 200, 'GET', `/readyz${query}`)
    expect(body).toEqual({ status: 'ready', database: 'postgres' })
  }
  fault.error = new DatabaseUnavailableError(new Error('connect ECONNREFUSED 10.0.0.7'))
  for (const query of ['', '?database=', '?database=maybe', '?other=needed']) {
    const { body } = await send(node, 200, 'GET', `/readyz${query}`)
    expect(body).toEqual({ status: 'database-away', database: 'postgres' })
  }
  const needed = await send(node, 503, 'GET', '/readyz?database=needed')
  expect(needed.headers['x-error-code']).toBe('database_unavailable')
  const reply = await tenant.on({ ...app, app: node }).get(503, '/workspaces')
  expect([reply.headers['x-error-code'], Number(reply.headers['retry-after']) > 0]).toEqual([
    'database_unavailable',
    true,
  ])
})

describe('an idle connection', () => {
  test.each([
    [25_000, 120_000],
    [600_000, 2_400_000],
  ])('stays open for as long as the ad platform may take with a GRAPH_TIMEOUT_MS of %i', async (graphTimeoutMs, idleMs) => {
    const { app } = await startOwnTestApp({ graph: { timeoutMs: graphTimeoutMs } })
    expect(app.server.timeout).toBe(idleMs)
  })
})

describe('errors of ours', () => {
  test('the caller gets a fixed text and a request id, and the log has the cause under that id', async () => {
    const { tenant, fault, logLines } = await startFaulty()
    fault.error = new Error('secret inner workings')
    const reply = await tenant.get(500, '/workspaces')
    expect(JSON.stringify(reply.body)).not.toContain('inner workings')
    const logged = logLines().find((line) => line.err?.message === 'secret inner workings')
    expect(logged.requestId).toBe(reply.headers['x-request-id'])
  })
})

describe('the log', () => {
  test('has one line for each request, with its cost and result', async () => {
    const { tenant, logLines } = await startFaulty()
    await tenant.workspace()
    const reply = await tenant.get(200, '/workspaces')
    await tenant.get(422, '/workspaces?x=1')
    const requests = logLines().filter((line) => line.msg === 'request')
    expect(requests).toHaveLength(2)
    expect(requests[0]).toMatchObject({
      requestId: reply.headers['x-request-id'],
      operation: 'listWorkspaces',
      organization: tenant.organizationId,
      key: tenant.key.id,
      status: 200,
      rows: 1,
      databaseMs: expect.any(Number),
      upstreamMs: 0,
      durationMs: expect.any(Number),
    })
    expect(requests[1]).toMatchObject({ status: 422, errorCode: 'validation_failed' })
  })

  test('identifies the operator and refused callers, with their address and the object of the call', async () => {
    const { app, tenant, logLines } = await startFaulty({ http: { trustProxy: ['127.0.0.0/8'] } })
    const path = `/api/organizations/${tenant.organizationId}/workspaces/ws/channels/${'x'.repeat(300)}/vips/person`
    const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...forwarded }
    await send(app.app, 404, 'PUT', path, { headers })
    await send(app.app, 401, 'PUT', path, { headers: { ...headers, authorization: 'Bearer wrong' } })
    await tenant.get(403, '/workspaces', { headers: { 'x-signature': 'f'.repeat(64), ...forwarded } })
    await tenant.get(200, '/workspaces', { headers: forwarded })
    const requests = logLines().filter((line) => line.msg === 'request')
    const organization = tenant.organizationId
    const target = { workspaceId: 'ws', channelId: 'x'.repeat(200) }
    // This is the last address that no trusted proxy has written.
    const client = '198.51.100.7'
    expect(requests[0]).toMatchObject({ actor: 'operator', organization, target, client, status: 404 })
    expect(requests[1]).toMatchObject({ organization, target, client, status: 401 })
    expect(requests[1]).not.toHaveProperty('actor')
    expect(requests[2]).toMatchObject({ client, status: 403 })
    expect(requests[3]).not.toHaveProperty('client')
    expect(JSON.stringify(requests)).not.toContain('person')
  })

  test.each([
    '198.51.100.7:4711',
    '::ffff:c633:6407',
    '[::ffff:198.51.100.7]:80',
  ])('records the client %j as 198.51.100.7', async (forwardedFor) => {
    const { tenant, logLines } = await startFaulty({ http: { trustProxy: ['127.0.0.0/8'] } })
    await tenant.get(403, '/workspaces', {
      headers: { 'x-signature': 'f'.repeat(64), 'x-forwarded-for': forwardedFor },
    })
    expect(logLines().find((line) => line.msg === 'request')?.client).toBe('198.51.100.7')
  })

  test('ignores X-Forwarded-For unless TRUST_PROXY is set', async () => {
    const { tenant, logLines } = await startFaulty()
    await tenant.get(403, '/workspaces', {
      headers: { 'x-signature': 'f'.repeat(64), 'x-forwarded-for': '203.0.113.9' },
    })
    expect(logLines().find((line) => line.msg === 'request')?.client).toBe('127.0.0.1')
  })

  test('never contains a secret, a signature, a token or a query', async () => {
    const { app, tenant, fault, logText } = await startFaulty()
    const date = new Date(app.clock.now()).toUTCString()
    await tenant.get(404, '/vip-users?workspaceId=name-of-a-person&mediumId=x')
    await tenant.get(403, '/workspaces', { headers: { 'x-signature': 'f'.repeat(64) } })
    await send(app.app, 200, 'GET', '/api/organizations', {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    fault.error = new Error('boom')
    await tenant.get(500, '/workspaces')
    const text = logText()
    expect(text.match(/"msg":"request"/g)).toHaveLength(4)

    for (const hidden of [
      tenant.key.secret,
      signDate(tenant.key.secret, date),
      'f'.repeat(64),
      OPERATOR_TOKEN,
      'name-of-a-person',
    ]) {
      expect(text).not.toContain(hidden)
    }
  })
})

describe('stopping', () => {
  test('finishes a running request, closes idle connections, and refuses new ones', async () => {
    const { app, tenant, fault } = await startFaulty()
    await app.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.app.server.address() as { port: number }
    const idle = connect(port, '127.0.0.1').resume()
    const idleClosed = new Promise((resolve) => idle.on('close', resolve))
    let open = (): void => {}
    fault.gate = new Promise((resolve) => {
      open = resolve
    })
    const arrived = new Promise<void>((resolve) => app.app.server.once('request', () => resolve()))

    const headers = { ...signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString()), 'x-api-version': '1' }
    const running = fetch(`http://127.0.0.1:${port}/v1/workspaces`, { headers })
    await arrived
    const closed = app.app.close()
    await idleClosed
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    open()
    expect((await running).status).toBe(200)
    await closed
  })
})
