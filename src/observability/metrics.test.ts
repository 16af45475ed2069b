import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { operatorCall, send, signedHeaders, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { buildApp } from '../app.js'
import { DatabaseUnavailableError } from '../database/database.js'
import type { PublisherView } from './health.js'
import { createMetrics, type Metrics } from './metrics.js'

let app: TestApp
let metrics: Metrics
/** What the publisher is made to say of itself. */
let publisher: { lastTickAt: Date | undefined; oldestDueAt: Date | undefined; fault: Error | undefined }

const view: PublisherView = {
  lastTickAt: () => publisher.lastTickAt,
  async oldestDueAt() {
    if (publisher.fault !== undefined) throw publisher.fault
    return publisher.oldestDueAt
  },
  postsByStatus: async () => ({ DRAFT: 2, SCHEDULED: 0 }),
}

async function start(options: { api?: boolean; publisher?: PublisherView }): Promise<void> {
  const plain = await startTestApp()
  metrics = createMetrics()
  publisher = { lastTickAt: undefined, oldestDueAt: undefined, fault: undefined }
  app = { ...plain, app: await buildApp(plain.context, { checkAnswers: true, metrics, ...options }) }
}

/** The samples of /metrics, by name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const response = await app.app.inject({ method: 'GET', url: '/metrics' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  // A scrape is kept for some seconds.
  app.clock.advance(5_000)
  const lines = response.body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name, value] = /^([a-zA-Z_:]\w*(?:\{.*\})?) (\S+)$/.exec(line) ?? []
      expect(name, line).toBeDefined()
      return [name!, Number(value)]
    }),
  )
}

const now = (offsetMs = 0): Date => new Date(app.clock.now() + offsetMs)

describe('/metrics', () => {
  beforeEach(() => start({ publisher: view }))

  const requests = (samples: Map<string, number>, operation: string, status: string) =>
    samples.get(`greenroom_request_duration_seconds_count{operation="${operation}",status="${status}"}`)

  test('counts requests and their durations by operation and status, whatever their paths', async () => {
    const tenant = await Tenant.create(app)
    await tenant.get(200, '/workspaces')
    await tenant.get(200, '/workspaces')
    await tenant.call(403, 'GET', '/workspaces', { headers: { 'x-signature': 'f'.repeat(64) } })
    await tenant.get(404, '/scheduled-posts/post_one')
    await tenant.get(404, '/scheduled-posts/post_two')
    await operatorCall(app, 404, 'GET', '/organizations/org_none/keys')
    await send(app.app, 404, 'GET', '/nowhere/1')
    await send(app.app, 404, 'GET', '/nowhere/2')
    const samples = await scrape()
    expect(requests(samples, 'listWorkspaces', '200')).toBe(2)
    expect(requests(samples, 'listWorkspaces', '403')).toBe(1)
    expect(requests(samples, 'getScheduledPost', '404')).toBe(2)
    expect(requests(samples, 'listKeys', '404')).toBe(1)
    expect(requests(samples, 'none', '404')).toBe(2)
    const sum = 'greenroom_request_duration_seconds_sum{operation="listWorkspaces",status="200"}'
    expect(samples.get(sum)).toBeGreaterThan(0)
    expect(JSON.stringify([...samples.keys()])).not.toMatch(/post_one|org_|nowhere/)
  })

  test('counts a request whose caller went away', async () => {
    const tenant = await Tenant.create(app)
    await app.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.app.server.address() as AddressInfo
    const date = new Date(app.clock.now()).toUTCString()
    const headers = { ...signedHeaders(tenant.key, date), 'x-api-version': '1', 'content-type': 'application/json' }
    const controller = new AbortController()
    const request = fetch(`http://127.0.0.1:${port}/v1/scheduled-posts/post_x`, {
      method: 'PATCH',
      headers,
      body: new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{')) }),
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit)
    app.app.server.once('request', () => setImmediate(() => controller.abort()))
    await expect(request).rejects.toThrow()
    await vi.waitFor(async () => expect(requests(await scrape(), 'updateScheduledPost', 'aborted')).toBe(1))
    await app.app.close()
  })

  test('measures the process', async () => {
    const samples = await scrape()
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(samples.has('nodejs_eventloop_lag_p99_seconds')).toBe(true)
  })

  test('measures the directory of the embedded database, where there is one', async () => {
    expect((await scrape()).has('greenroom_database_disk_bytes')).toBe(false)
    const database = { ...app.context.database, diskBytes: () => 1234 }
    app = { ...app, app: await buildApp({ ...app.context, database }, { metrics }) }
    expect((await scrape()).get('greenroom_database_disk_bytes')).toBe(1234)
  })

  test('shows how many channels have their VIP lists in memory, and what these take', async () => {
    const tenant = await Tenant.create(app)
    const workspaceId = await tenant.workspace('VIP')
    const mediumId = await tenant.channel([workspaceId])
    await tenant.conversations(mediumId, [{ id: 'a' }, { id: 'b' }])
    const before = await scrape()
    await tenant.get(200, `/vip-users?${new URLSearchParams({ workspaceId, mediumId, scope: 'all' })}`)
    const after = await scrape()
    const grown = (name: string): number => after.get(name)! - before.get(name)!
    expect(grown('greenroom_audience_channels')).toBe(1)
    expect(grown('greenroom_audience_memory_bytes')).toBeGreaterThan(200)
    expect(grown('greenroom_audience_memory_bytes')).toBeLessThan(20_000)
  })

  test("shows the publisher's last tick, the oldest due post's age, posts by status, and the delays", async () => {
    const before = await scrape()
    expect(before.has('greenroom_publisher_last_tick_timestamp_seconds')).toBe(false)
    expect(before.get('greenroom_publisher_oldest_due_age_seconds')).toBe(0)
    publisher.lastTickAt = now(-400)
    publisher.oldestDueAt = now(-90_000)
    metrics.countPublished(1_500)
    const samples = await scrape()
    expect(samples.get('greenroom_publisher_last_tick_timestamp_seconds')).toBe(publisher.lastTickAt.getTime() / 1000)
    expect(samples.get('greenroom_publisher_oldest_due_age_seconds')).toBe(90)
    expect(samples.get('greenroom_scheduled_posts{status="DRAFT"}')).toBe(2)
    expect(samples.get('greenroom_scheduled_posts{status="SCHEDULED"}')).toBe(0)
    expect(samples.get('greenroom_publish_delay_seconds_bucket{le="1"}')).toBe(0)
    expect(samples.get('greenroom_publish_delay_seconds_bucket{le="2"}')).toBe(1)
    expect(samples.get('greenroom_publish_delay_seconds_sum')).toBe(1.5)
  })

  test('without the database it still shows what the process knows, and no stale numbers', async () => {
    await scrape()
    publisher.fault = new DatabaseUnavailableError(new Error('away'))
    const samples = await scrape()
    expect(samples.has('greenroom_scheduled_posts{status="DRAFT"}')).toBe(false)
    expect(samples.has('process_resident_memory_bytes')).toBe(true)
  })
})

describe('/metrics, asked for by many', () => {
  test('reads the posts once for all of them, and again after some seconds', async () => {
    let reads = 0
    await start({
      publisher: {
        ...view,
        async postsByStatus() {
          reads += 1
          return { DRAFT: reads }
        },
      },
    })
    const bodies = async () =>
      (await Promise.all(Array.from({ length: 20 }, () => app.app.inject('/metrics')))).map(({ body }) => body)
    const first = await bodies()
    app.clock.advance(4_999)
    expect(new Set([...first, ...(await bodies())]).size).toBe(1)
    expect(reads).toBe(1)
    app.clock.advance(1)
    expect((await bodies())[0]).toContain('greenroom_scheduled_posts{status="DRAFT"} 2')
    expect(reads).toBe(2)
  })

  test('is tried again after a failure', async () => {
    await start({ publisher: view })
    const fault = vi.spyOn(metrics, 'text').mockRejectedValueOnce(new Error('not now'))
    expect((await app.app.inject('/metrics')).statusCode).toBe(500)
    expect((await app.app.inject('/metrics')).statusCode).toBe(200)
    fault.mockRestore()
  })

  test('takes METRICS_TOKEN where it is set', async () => {
    const metricsToken = 'token-of-the-metrics'
    const { app: own } = await startTestApp({ metricsToken })
    for (const authorization of [undefined, 'Bearer another-token', metricsToken]) {
      const headers = authorization === undefined ? {} : { authorization }
      const response = await own.inject({ url: '/metrics', headers })
      expect([response.statusCode, response.headers['x-error-code']]).toEqual([401, 'metrics_token_wrong'])
    }
    const response = await own.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })
    expect(response.statusCode).toBe(200)
  })
})

describe('/readyz where the publisher runs', () => {
  beforeEach(() => start({ publisher: view }))

  test("tells the publisher's last tick and the time of the oldest due post", async () => {
    const database = app.context.database.engine
    expect((await send(app.app, 200, 'GET', '/readyz')).body).toEqual({ status: 'ready', database, publisher: {} })
    publisher.lastTickAt = now(-1_000)
    publisher.oldestDueAt = now(-3_000)
    expect((await send(app.app, 200, 'GET', '/readyz')).body.publisher).toEqual({
      lastTickAt: now(-1_000).toISOString(),
      oldestDueAt: now(-3_000).toISOString(),
    })
  })

  test('is 503 when the last tick, or the start before the first, is more than a minute ago', async () => {
    const stalled = async () => (await send(app.app, 503, 'GET', '/readyz')).headers['x-error-code']
    app.clock.advance(60_000)
    await send(app.app, 200, 'GET', '/readyz')
    app.clock.advance(1)
    expect(await stalled()).toBe('publisher_stalled')
    publisher.lastTickAt = now()
    app.clock.advance(60_000)
    await send(app.app, 200, 'GET', '/readyz')
    app.clock.advance(1)
    expect(await stalled()).toBe('publisher_stalled')
    expect((await send(app.app, 200, 'GET', '/healthz')).body).toEqual({ status: 'alive' })
  })
})

describe('/status', () => {
  test('tells in JSON what people ask: readiness, the publisher, posts by status, how late they were published', async () => {
    await start({ publisher: view })
    const database = app.context.database.engine
    const status = async () => (await send(app.app, 200, 'GET', '/status')).body
    expect(await status()).toEqual({
      ready: true,
      database,
      publisher: { postsByStatus: { DRAFT: 2, SCHEDULED: 0 }, published: { count: 0 } },
    })
    publisher.lastTickAt = now(-61_000)
    publisher.oldestDueAt = now(-3_000)
    for (const delayMs of [100, 400, 700, 3 * 86_400_000]) metrics.countPublished(delayMs)
    expect(await status()).toEqual({
      ready: false,
      problem: expect.stringContaining('The publisher has not looked for due posts'),
      database,
      publisher: {
        lastTickAt: publisher.lastTickAt.toISOString(),
        oldestDueAt: publisher.oldestDueAt.toISOString(),
        postsByStatus: { DRAFT: 2, SCHEDULED: 0 },
        published: { count: 4, p50Seconds: 0.5 },
      },
    })
    metrics.countPublished(20_000)
    metrics.countPublished(20_000)
    expect((await status()).publisher.published).toEqual({ count: 6, p50Seconds: 1 })
    for (let posts = 0; posts < 94; posts++) metrics.countPublished(20_000)
    expect((await status()).publisher.published).toEqual({ count: 100, p50Seconds: 30, p95Seconds: 30 })
  })

  test('without the database it is 503, as /readyz is that needs it', async () => {
    await start({ publisher: view })
    publisher.fault = new DatabaseUnavailableError(new Error('away'))
    for (const path of ['/status', '/readyz?database=needed']) {
      const { headers, body } = await send(app.app, 503, 'GET', path)
      expect([headers['x-error-code'], body.message]).toEqual(['database_unavailable', expect.any(String)])
    }
  })
})

test('the API alone says nothing of a publisher', async () => {
  await start({})
  for (const path of ['/readyz', '/status']) {
    expect((await send(app.app, 200, 'GET', path)).body).not.toHaveProperty('publisher')
  }
  const samples = await scrape()
  expect([...samples.keys()].filter((name) => /publisher|scheduled_posts/.test(name))).toEqual([])
})

test('the publisher alone serves neither /v1 nor /v0 nor /operator nor the reference', async () => {
  await start({ api: false, publisher: view })
  const tenant = await Tenant.create(app)
  await tenant.get(404, '/workspaces')
  await tenant.callEarlier(404, 'GET', '/vip-users')
  await operatorCall(app, 404, 'GET', '/organizations')
  await send(app.app, 404, 'GET', '/openapi.json')
  await send(app.app, 404, 'GET', '/docs')
  await send(app.app, 200, 'GET', '/healthz')
  await send(app.app, 200, 'GET', '/readyz')
  await send(app.app, 200, 'GET', '/status')
  expect((await scrape()).has('greenroom_publisher_oldest_due_age_seconds')).toBe(true)
})

test('a node under a newer schema says 503 with the reason, and stays ready where that schema is compatible', async () => {
  await start({})
  const { database } = app.context
  const add = (compatible: boolean) =>
    database.query(`insert into migrations (name, checksum, compatible) values ('9999_newer.sql', 'x', $1)`, [
      compatible,
    ])
  try {
    await add(false)
    const reply = await send(app.app, 503, 'GET', '/readyz')
    expect(reply.headers['x-error-code']).toBe('database_unavailable')
    expect(reply.body.message).toContain('9999_newer.sql')
    await database.query(`delete from migrations where name = '9999_newer.sql'`)
    await add(true)
    await send(app.app, 200, 'GET', '/readyz')
  } finally {
    await database.query(`delete from migrations where name = '9999_newer.sql'`)
  }
})
