import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { withConfig } from '../../test/config.js'
import { gate } from '../../test/gate.js'
import {
  Member,
  openTestContext,
  operatorCall,
  send,
  signedHeaders,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import { openOwnDatabase } from '../../test/test-database.js'
import { SESSION_IDLE_MS } from '../access/sessions/sessions.store.js'
import { buildApp } from '../app.js'
import { backUpWhenDue, startBackupSchedule } from '../backup/schedule.js'
import { type Database, DatabaseUnavailableError } from '../database/database.js'
import { programVersion } from '../lib/version.js'
import type { PublisherView } from './health.js'
import { createScrape, type Metrics } from './metrics.js'

let app: TestApp
let metrics: Metrics
/** The state that the publisher reports. */
let publisher: { lastTickAt: Date | undefined; oldestDueAt: Date | undefined; fault: Error | undefined }

const view: PublisherView = {
  lastTickAt: () => publisher.lastTickAt,
  async oldestDueAt() {
    if (publisher.fault !== undefined) throw publisher.fault
    return publisher.oldestDueAt
  },
  postsByStatus: async () => ({ DRAFT: 2, SCHEDULED: 0 }),
}

/** Omits the API by default, because it takes most of the time of a start. */
async function start(options: { api?: boolean; publisher?: PublisherView }, given?: Database): Promise<void> {
  const { context, clock } = await openTestContext({ database: given })
  metrics = context.metrics
  publisher = { lastTickAt: undefined, oldestDueAt: undefined, fault: undefined }
  app = { context, clock, app: await buildApp(context, { ...TEST_OPTIONS, api: false, ...options }) }
}

/** The samples of /metrics, by name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const response = await app.app.inject({ method: 'GET', url: '/metrics' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  // A scrape is cached for some seconds.
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
    await start({ api: true, publisher: view })
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

  test('counts a request whose caller disconnected', async () => {
    await start({ api: true, publisher: view })
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

  test('measures the directory of the embedded database, if there is one', async () => {
    expect((await scrape()).has('greenroom_database_disk_bytes')).toBe(false)
    const database = { ...app.context.database, diskBytes: () => 1234 }
    const config = withConfig(app.context.config, { database: { dataMaxBytes: 5_000 } })
    app = { ...app, app: await buildApp({ ...app.context, database, config }, { api: false }) }
    const samples = await scrape()
    expect(samples.get('greenroom_database_disk_bytes')).toBe(1234)
    expect(samples.get('greenroom_database_disk_max_bytes')).toBe(5_000)
  })

  test('shows how many channels have their VIP lists in memory, and how much these take', async () => {
    await start({ api: true, publisher: view })
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

  test('shows what runs', async () => {
    const { engine } = app.context.database
    const build = `greenroom_build_info{version="${programVersion()}",node="${process.versions.node}",engine="${engine}"}`
    expect((await scrape()).get(build)).toBe(1)
  })

  test("shows the version of the platform's API, whether it is known, and when it ends", async () => {
    const withVersion = async (version: string): Promise<string[]> => {
      const config = withConfig(app.context.config, { graph: { version } })
      app = {
        ...app,
        app: await buildApp({ ...app.context, config }, { ...TEST_OPTIONS, api: false, publisher: view }),
      }
      return [...(await scrape())].flatMap(([name, value]) =>
        name.startsWith('greenroom_platform_version_') ? [`${name} ${value}`] : [],
      )
    }
    const ends = [
      `greenroom_platform_version_end_timestamp_seconds{api="marketing"} ${Date.parse('2027-02-23') / 1000}`,
      `greenroom_platform_version_end_timestamp_seconds{api="graph"} ${Date.parse('2028-07-29') / 1000}`,
    ]
    app.clock.advance(Date.parse('2026-12-24') - app.clock.now())
    expect(await withVersion('v25.0')).toEqual([
      'greenroom_platform_version_info{version="v25.0",found="supported"} 1',
      ...ends,
    ])
    app.clock.advance(Date.parse('2026-12-25') - app.clock.now())
    expect(await withVersion('v25.0')).toEqual([
      'greenroom_platform_version_info{version="v25.0",found="ending"} 1',
      ...ends,
    ])
    expect(await withVersion('v19.0')).toEqual(['greenroom_platform_version_info{version="v19.0",found="unknown"} 1'])
  })

  test('counts signed-in people, and the entries of the audit trail', async () => {
    await start({ api: true, publisher: view })
    const before = await scrape()
    const member = await Member.create(app)
    const other = await Member.create(app)
    const tenant = await Tenant.create(app)
    await tenant.workspace('VIP')
    await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/workspaces`, {
      body: { name: 'Audited', type: 'VIP' },
    })
    const during = await scrape()
    await member.call(200, 'POST', '/sign-out')
    const after = await scrape()
    const grown = (samples: Map<string, number>, name: string) => samples.get(name)! - before.get(name)!
    expect(grown(during, 'greenroom_sessions')).toBe(2)
    expect(grown(after, 'greenroom_sessions')).toBe(1)
    expect(grown(during, 'greenroom_audit_entries_total')).toBe(1)
    app.clock.advance(SESSION_IDLE_MS)
    expect(grown(await scrape(), 'greenroom_sessions')).toBeLessThanOrEqual(0)
    expect(other.id).not.toBe(member.id)
  })

  test('counts the lines of imports by result', async () => {
    await start({ api: true, publisher: view })
    const tenant = await Tenant.create(app)
    const channelId = await tenant.channel()
    await operatorCall(
      app,
      200,
      'POST',
      `/organizations/${tenant.organizationId}/channels/${channelId}/conversations`,
      {
        body: '{"conversationId":"a","cuid":"a"}\n{"conversationId":"b","cuid":"b"}\nno line\n',
        headers: { 'content-type': 'application/x-ndjson' },
      },
    )
    const samples = await scrape()
    const rows = ['imported', 'erased', 'rejected'].map((outcome) =>
      samples.get(`greenroom_import_rows_total{outcome="${outcome}"}`),
    )
    expect(rows).toEqual([2, 0, 1])
  })

  test('counts backups, and shows when the last one was made', async () => {
    const backupDir = mkdtempSync(join(tmpdir(), 'greenroom-metrics-'))
    onTestFinished(async () => {
      rmSync(backupDir, { recursive: true, force: true })
      await app.context.database.query('delete from last_backup')
    })
    const context = { ...app.context, config: withConfig(app.context.config, { backup: { dir: backupDir } }) }
    app = { ...app, app: await buildApp(context, { api: false }), context }
    await app.context.database.query('delete from last_backup')
    expect((await scrape()).get('greenroom_last_backup_timestamp_seconds')).toBe(0)
    const madeAt = app.clock.now()
    await backUpWhenDue(context)
    const samples = await scrape()
    expect(samples.get('greenroom_last_backup_timestamp_seconds')).toBe(madeAt / 1000)
    expect(samples.get('greenroom_backups_total{outcome="made"}')).toBe(1)
    rmSync(backupDir, { recursive: true })
    writeFileSync(backupDir, 'no directory')
    await app.context.database.query('delete from last_backup')
    const failed = startBackupSchedule(context)
    onTestFinished(() => failed?.stop())
    await vi.waitFor(async () => expect((await scrape()).get('greenroom_backups_total{outcome="failed"}')).toBe(1))
  })

  test('counts the calls of the ad platform by result', async () => {
    const { graph } = app.context
    const access = { accessToken: 'EAAtoken', limitKey: '1', useCase: 'ads' } as const
    await expect(graph.post('/act_1/campaigns', {}, access)).rejects.toThrow()
    const samples = await scrape()
    expect(samples.get('greenroom_platform_calls_total{outcome="network"}')).toBe(1)
    expect(samples.get('greenroom_platform_calls_total{outcome="credentials"}')).toBe(0)
  })

  test('counts the waiting deliveries of the 20 sources with the most, and the others as one', async () => {
    await start({ api: true, publisher: view })
    const tenant = await Tenant.create(app)
    const { database } = app.context
    const sender = await Sender.create(app, 'EVENTS', { tenant })
    const waiting = (samples: Map<string, number>): Map<string, number> =>
      new Map(
        [...samples].flatMap(([name, value]) => {
          const [, source] = /^greenroom_inbox_deliveries_waiting\{source="([^"]+)"\}$/.exec(name) ?? []
          return source === undefined ? [] : [[source, value]]
        }),
      )
    // Other tests may share the database.
    const before = waiting(await scrape())
    expect(before.has('others')).toBe(true)
    await database.query(
      `insert into sources (organization_id, source_id, type, name, created_at, updated_at)
       select $1, 'src_' || $2 || n, 'EVENTS', 'One of many', now(), now() from generate_series(1, 24) n`,
      [tenant.organizationId, tenant.organizationId],
    )
    await database.query(
      `insert into inbox (organization_id, source_id, headers, body, received_at)
       select $1, 'src_' || $2 || n, '{}', '{}', now() from generate_series(1, 24) n, generate_series(1, n + 200) one`,
      [tenant.organizationId, tenant.organizationId],
    )
    const after = waiting(await scrape())
    expect(after.size).toBe(21)
    const own = (n: number) => after.get(`src_${tenant.organizationId}${n}`)
    expect([own(24), own(20), own(4)]).toEqual([224, 220, undefined])
    const sum = (samples: Map<string, number>) => [...samples.values()].reduce((all, value) => all + value, 0)
    expect(sum(after) - sum(before)).toBe(24 * 200 + 300)
    await database.query('delete from inbox where organization_id = $1', [tenant.organizationId])
    await sender.send({ batch: ['no event'] })
    expect(waiting(await scrape()).get(sender.source.id)).toBe(1)
    app.clock.advance(90_000)
    expect((await scrape()).get('greenroom_inbox_oldest_age_seconds')).toBeGreaterThanOrEqual(90)
    const outcomes = async () => {
      const samples = await scrape()
      return ['applied', 'problem'].map((outcome) => samples.get(`greenroom_deliveries_total{outcome="${outcome}"}`))
    }
    expect(await outcomes()).toEqual([0, 0])
    await sender.apply()
    expect(await outcomes()).toEqual([1, 1])
    expect(waiting(await scrape()).get(sender.source.id)).toBeUndefined()
    expect((await scrape()).get('greenroom_source_problems')).toBeGreaterThanOrEqual(1)
  })

  test('shows who uses the database connections, and who waits for one', async () => {
    const free = await scrape()
    const { database } = app.context
    const pool = database.engine === 'pglite' ? 'embedded' : 'changing'
    const of = (samples: Map<string, number>, name: string) => samples.get(`greenroom_database_${name}{pool="${pool}"}`)
    const max = of(free, 'connections_max')!
    const leave = gate()
    const held = Array.from({ length: max + 2 }, () => database.transaction(async () => leave.opened))
    await vi.waitFor(() => expect(database.pools!().find((use) => use.pool === pool)!.used).toBe(max))
    // This omits the figures that need a query, which would wait too on the embedded engine.
    const away = async (): Promise<never> => {
      throw new DatabaseUnavailableError(new Error('away'))
    }
    const text = await createScrape(app.context, {
      publisher: undefined,
      audienceMemory: app.context.audienceCache.memory,
      readStored: away,
    })()
    leave.open()
    await Promise.all(held)
    expect(text).toContain(`greenroom_database_connections_used{pool="${pool}"} ${max}\n`)
    expect(text).toContain(`greenroom_database_connection_waiters{pool="${pool}"} 2\n`)
    expect(of(await scrape(), 'connection_waiters')).toBe(0)
  })

  test('a database that does not answer is asked once, and the rest is served in time', async () => {
    let reads = 0
    const waits: number[] = []
    const text = createScrape(app.context, {
      publisher: undefined,
      audienceMemory: app.context.audienceCache.memory,
      readStored() {
        reads += 1
        return new Promise(() => {})
      },
      wait: async (ms) => void waits.push(ms),
    })
    for (let scrapes = 0; scrapes < 3; scrapes++) {
      expect(await text()).toMatch(/greenroom_build_info(?!.*greenroom_sessions)/s)
    }
    expect([reads, waits]).toEqual([1, [2_000, 2_000, 2_000]])
  })

  describe('documentation of the metrics', () => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

    interface Served {
      type: string
      help: string
      labels: string[]
      /** The upper bounds of a histogram's buckets. */
      buckets: number[]
    }

    /** Every metric that there may be. */
    async function served(): Promise<Map<string, Served>> {
      const database = { ...app.context.database, diskBytes: () => 1 }
      const config = withConfig(app.context.config, {
        ...{ database: { dataMaxBytes: 1 }, backup: { dir: '/nowhere' } },
        graph: { version: 'v25.0' },
      })
      publisher.lastTickAt = now()
      metrics.countPublished(1)
      const backups = { isRunning: false, isPlaceUsable: true }
      app = {
        ...app,
        app: await buildApp({ ...app.context, database, config, backups }, { api: false, publisher: view }),
      }
      await app.app.inject('/healthz')
      const all = new Map<string, Served>()
      const text = (await app.app.inject('/metrics')).body
      for (const [, name, help, type] of text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)) {
        const [, labels = ''] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(text) ?? []
        const bounds = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"`, 'gm'))]
        all.set(name!, {
          type: type!,
          help: help!,
          labels: [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label!).filter((label) => label !== 'le'),
          buckets: [...new Set(bounds.map(([, bound]) => (bound === '+Inf' ? Infinity : Number(bound))))],
        })
      }
      return all
    }

    test('the names keep the conventions of Prometheus', async () => {
      const snake = /^[a-z][a-z\d]{0,30}(?:_[a-z\d]{1,30}){0,12}$/
      // Each says what a name must be. Of the rest of the process the names are prom-client's.
      const rules: Record<string, (name: string, metric: Served) => boolean> = {
        'is in snake case, without a colon': (name) => snake.test(name),
        'begins with the program': (name) => /^(?:greenroom|process|nodejs)_/.test(name),
        'has a help text': (_, { help }) => help !== '',
        'ends in _total where it is a counter, and nowhere else': (name, { type }) =>
          name.endsWith('_total') === (type === 'counter'),
        'ends in nothing that a histogram adds': (name) => !/_(?:count|sum|bucket)$/.test(name),
        'has seconds and bytes, and no other unit': (name) =>
          !/_(?:ms|milliseconds|minutes|hours|days|kb|mb|kib|mib|kilobytes|megabytes|percent)(?:_|$)/.test(name),
        'has its unit at its end': (name) => !/_(?:seconds|bytes)_(?!total$)/.test(name),
        'names no type': (name) => !/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name),
        'ends in _info where it is always 1, and nowhere else': (name, { help }) =>
          !name.startsWith('greenroom_') || name.endsWith('_info') === help.endsWith('always 1.'),
        'says what it counts, where it has no unit': (name) =>
          !name.startsWith('greenroom_') ||
          /_(?:info|usable|media)$/.test(name) ||
          name.split('_').some((word) => word.endsWith('s')),
        'has labels in snake case': (_, { labels }) => labels.every((label) => snake.test(label)),
        'has a unit and growing buckets up to +Inf, where it is a histogram': (name, { type, buckets }) =>
          type !== 'histogram' ||
          !name.startsWith('greenroom_') ||
          (/_(?:seconds|bytes)$/.test(name) &&
            buckets.at(-1) === Infinity &&
            buckets.every((bound, at) => at === 0 || bound > buckets[at - 1]!)),
      }
      const all = await served()
      expect(all.size).toBeGreaterThan(50)
      const broken = [...all].flatMap(([name, metric]) =>
        Object.keys(rules).flatMap((rule) => (rules[rule]!(name, metric) ? [] : [`${name}: ${rule}`])),
      )
      expect(broken).toEqual([])
    })

    test('docs/monitoring.md lists every metric with its labels', async () => {
      const section = read('docs/monitoring.md').split('\n## Metrics\n')[1]!.split('\n## ')[0]!
      const listed = section
        .split('\n')
        .filter((line) => line.startsWith('| `greenroom_'))
        .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word!)))
        .map(([, name, labels]) => [name![0]!, labels!] as const)
      const own = [...(await served())].filter(([name]) => name.startsWith('greenroom_'))
      const sorted = (rows: (readonly [string, string[]])[]) =>
        rows.map(([name, labels]) => `${name} ${labels.toSorted().join(' ')}`).toSorted()
      expect(sorted(listed)).toEqual(sorted(own.map(([name, { labels }]) => [name, labels])))
    })

    test.each([
      'deploy/grafana-dashboard.json',
      'deploy/alerts.yaml',
    ])('%s names metrics that there are, and labels that they have', async (path) => {
      const all = await served()
      const find = (name: string) => all.get(name) ?? all.get(name.replace(/_(bucket|sum|count)$/, ''))
      const text = read(path).replaceAll('\\"', '"')
      const used = [...text.matchAll(/\b(?:greenroom|process|nodejs)_\w+/g)].map(([name]) => name)
      expect(new Set(used).size).toBeGreaterThan(6)
      expect(used.filter((name) => find(name) === undefined)).toEqual([])
      const selected = [...text.matchAll(/\b(greenroom_\w+)\{([^{}]*)\}/g)].flatMap(([, name, selector]) =>
        [...selector!.matchAll(/(\w+)(?:=|!)/g)].map(([, label]) => ({ name: name!, label: label! })),
      )
      expect(selected.length).toBeGreaterThan(20)
      const unknown = selected.filter(({ name, label }) => label !== 'job' && !find(name)!.labels.includes(label))
      expect(unknown).toEqual([])
    })

    test('the dashboard has an expression in every panel, and each panel has its own place', () => {
      const { panels } = JSON.parse(read('deploy/grafana-dashboard.json'))
      const places = new Set<string>()
      for (const { title, targets, gridPos } of panels) {
        expect(targets.length, title).toBeGreaterThan(0)
        for (const { expr } of targets) expect(expr, title).toMatch(/\w/)
        places.add(`${gridPos.x} ${gridPos.y}`)
      }
      expect(places.size).toBe(panels.length)
    })
  })

  test('without the database it still shows what the process knows, and no stale numbers', async () => {
    await scrape()
    publisher.fault = new DatabaseUnavailableError(new Error('away'))
    publisher.lastTickAt = now()
    const samples = await scrape()
    expect(samples.has('greenroom_publisher_last_tick_timestamp_seconds')).toBe(true)
    expect(samples.has('greenroom_scheduled_posts{status="DRAFT"}')).toBe(false)
    expect(samples.has('process_resident_memory_bytes')).toBe(true)
  })
})

describe('/metrics with many simultaneous scrapes', () => {
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

  test('is retried after a failure', async () => {
    await start({ publisher: view })
    const fault = vi.spyOn(metrics, 'text').mockRejectedValueOnce(new Error('not now'))
    expect((await app.app.inject('/metrics')).statusCode).toBe(500)
    expect((await app.app.inject('/metrics')).statusCode).toBe(200)
    fault.mockRestore()
  })

  test('needs METRICS_TOKEN if it is set', async () => {
    const metricsToken = 'token-of-the-metrics'
    const { app: own } = await startTestApp({ metrics: { token: metricsToken } })
    onTestFinished(() => own.close())
    for (const authorization of [undefined, 'Bearer another-token', metricsToken]) {
      const headers = authorization === undefined ? {} : { authorization }
      const response = await own.inject({ url: '/metrics', headers })
      expect([response.statusCode, response.headers['x-error-code']]).toEqual([401, 'metrics_token_wrong'])
    }
    const response = await own.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })
    expect(response.statusCode).toBe(200)
  })
})

describe('/metrics and /status without a token', () => {
  const PATHS = ['/metrics', '/status']
  const ask = async (
    on: TestApp,
    { from, headers = {} }: { from: string; headers?: Record<string, string> },
  ): Promise<unknown[]> => {
    const answers = PATHS.map((url) => on.app.inject({ url, remoteAddress: from, headers }))
    return (await Promise.all(answers)).map(({ statusCode, headers }) => headers['x-error-code'] ?? statusCode)
  }
  const BOTH = [200, 200]
  const NEITHER = ['metrics_local', 'metrics_local']

  test('answer only this machine', async () => {
    const own = await startTestApp()
    for (const from of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1']) {
      expect(await ask(own, { from }), from).toEqual(BOTH)
    }
    for (const from of ['192.0.2.1', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '::2', '128.0.0.1', '::127.0.0.1']) {
      expect(await ask(own, { from }), from).toEqual(NEITHER)
    }
  })

  test.each([
    'x-forwarded-for',
    'forwarded',
    'x-real-ip',
    'via',
    'x-forwarded-host',
  ])('do not answer requests passed on by an untrusted proxy, whatever its %s says', async (name) => {
    const headers = { [name]: name === 'forwarded' ? 'for=127.0.0.1' : '127.0.0.1' }
    expect(await ask(await startTestApp(), { from: '127.0.0.1', headers })).toEqual(NEITHER)
    if (name === 'x-forwarded-for') return
    const trusting = await startTestApp({ http: { trustProxy: ['127.0.0.1'] } })
    onTestFinished(() => trusting.app.close())
    expect(await ask(trusting, { from: '127.0.0.1', headers })).toEqual(NEITHER)
  })

  test('behind a trusted proxy both it and the client must be this machine', async () => {
    const own = await startTestApp({ http: { trustProxy: ['127.0.0.1', '10.0.0.0/8'] } })
    const via = (from: string, forwardedFor: string) => ask(own, { from, headers: { 'x-forwarded-for': forwardedFor } })
    expect(await via('127.0.0.1', '192.0.2.1')).toEqual(NEITHER)
    expect(await via('127.0.0.1', '127.0.0.1, 192.0.2.1:1234')).toEqual(NEITHER)
    expect(await via('10.0.0.1', '127.0.0.1')).toEqual(NEITHER)
    expect(await via('127.0.0.1', '127.0.0.1')).toEqual(BOTH)
    expect(await via('127.0.0.1', '::ffff:7f00:1')).toEqual(BOTH)
  })

  test('answer others with METRICS_TOKEN, and wrong tokens count as failures', async () => {
    const metricsToken = 'token-of-the-metrics'
    const own = await startTestApp({ metrics: { token: metricsToken }, limits: { failedAttemptsPerMinute: 4 } })
    const from = '192.0.2.1'
    expect(await ask(own, { from, headers: { authorization: `Bearer ${metricsToken}` } })).toEqual(BOTH)
    for (let time = 0; time < 2; time++) {
      expect(await ask(own, { from })).toEqual(['metrics_token_wrong', 'metrics_token_wrong'])
    }
    expect(await ask(own, { from })).toEqual(['too_many_failures', 'too_many_failures'])
  })
})

test('METRICS_TOKEN guards /metrics and /status on this machine too, but no probe', async () => {
  const metricsToken = 'token-of-the-metrics'
  const own = await startTestApp({ metrics: { token: metricsToken } })
  const ask = async (path: string, authorization?: string): Promise<unknown> => {
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await own.app.inject({ url: path, remoteAddress: '127.0.0.1', headers })
    return answer.headers['x-error-code'] ?? answer.statusCode
  }
  for (const path of ['/metrics', '/status']) {
    expect(await ask(path)).toBe('metrics_token_wrong')
    expect(await ask(path, 'Bearer another-token')).toBe('metrics_token_wrong')
    expect(await ask(path, `Bearer ${metricsToken}`)).toBe(200)
  }
  for (const path of ['/healthz', '/readyz', '/readyz?database=needed']) expect(await ask(path)).toBe(200)
})

describe('/readyz with a publisher', () => {
  beforeEach(() => start({ publisher: view }))

  test("shows the publisher's last tick and the time of the oldest due post", async () => {
    const database = app.context.database.engine
    expect((await send(app.app, 200, 'GET', '/readyz')).body).toEqual({ status: 'ready', database, publisher: {} })
    publisher.lastTickAt = now(-1_000)
    publisher.oldestDueAt = now(-3_000)
    expect((await send(app.app, 200, 'GET', '/readyz')).body.publisher).toEqual({
      lastTickAt: now(-1_000).toISOString(),
      oldestDueAt: now(-3_000).toISOString(),
    })
  })

  test('is a 503 if the last tick, or the start before the first one, is more than a minute ago', async () => {
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
  test("shows people's questions as JSON: readiness, the publisher, posts by status, how late they were published", async () => {
    // It covers everything in the database.
    await start({ publisher: view }, await openOwnDatabase())
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

  test('without the database it is a 503, like a /readyz that needs it', async () => {
    await start({ publisher: view })
    publisher.fault = new DatabaseUnavailableError(new Error('away'))
    for (const path of ['/status', '/readyz?database=needed']) {
      const { headers, body } = await send(app.app, 503, 'GET', path)
      expect([headers['x-error-code'], body.message]).toEqual(['database_unavailable', expect.any(String)])
    }
  })
})

test('the API without a publisher does not mention one', async () => {
  await start({ api: true })
  for (const path of ['/readyz', '/status']) {
    expect((await send(app.app, 200, 'GET', path)).body).not.toHaveProperty('publisher')
  }
  const samples = await scrape()
  expect([...samples.keys()].filter((name) => /^greenroom_(publisher|scheduled_posts)/.test(name))).toEqual([])
})

test('a process with only the publisher serves neither /v1 nor /v0 nor /api nor the reference', async () => {
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

test('a node under a newer schema answers a 503 with the reason, and stays ready if that schema is compatible', async () => {
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
