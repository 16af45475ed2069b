import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { migrate } from '../src/database/migrate.js'
import { limit } from '../src/lib/limits.js'
import { type Reply, send, signedHeaders, startTestApp, Tenant, type TestApp } from './harness.js'
import { startPostgres } from './postgres-server.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from './test-database.js'

/** The resources that a test leaves, last one first. */
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** PostgreSQL applies a changed setting within this time. */
const SETTLED = { timeout: 20_000, interval: 50 }

/** It has as many connections as a node has by default. */
async function startNode(url: string): Promise<TestApp> {
  const database = openTestPostgres(url, 10)
  ends.push(() => database.close())
  await migrate(database)
  return await startTestApp({}, undefined, database)
}

/** An organization whose VIP page and post are read and changed. */
class Caller {
  private constructor(
    private readonly tenant: Tenant,
    private readonly page: string,
    readonly postId: string,
  ) {}

  static async create(node: TestApp): Promise<Caller> {
    const tenant = await Tenant.create(node)
    const workspaceId = await tenant.workspace('VIP')
    const channelId = await tenant.channel([workspaceId])
    await tenant.conversations(channelId, [{ id: 'a' }])
    const { body } = await tenant.call(201, 'POST', '/scheduled-posts', { body: { notes: 'as drafted' } })
    return new Caller(tenant, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all`, body.id)
  }

  readPage = (): Promise<Reply> => this.tenant.get(200, this.page)
  readPost = (): Promise<Reply> => this.tenant.get(200, `/scheduled-posts/${this.postId}`)
  patch = (status = 200): Promise<Reply> =>
    this.tenant.call(status, 'PATCH', `/scheduled-posts/${this.postId}`, { body: { notes: 'changed' } })

  /** Returns whatever status it gets. */
  async tryPatch(): Promise<Pick<Reply, 'status' | 'headers'>> {
    const { app, clock } = this.tenant.test
    const response = await app.inject({
      method: 'PATCH',
      url: `/v1/scheduled-posts/${this.postId}`,
      headers: { ...signedHeaders(this.tenant.key, new Date(clock.now()).toUTCString()), 'x-api-version': '1' },
      payload: { notes: 'tried' },
    })
    return { status: response.statusCode, headers: response.headers }
  }
}

/** Opens another client that holds the post's row lock until it rolls back. */
async function lockPost(url: string, postId: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  ends.push(() => holder.end())
  await holder.query('begin')
  await holder.query('select from scheduled_posts where scheduled_post_id = $1 for update', [postId])
  return holder
}

const isReady = (node: TestApp): Promise<Reply> => send(node.app, 200, 'GET', '/readyz')

describe.skipIf(TEST_DATABASE_URL === undefined)('PostgreSQL: waiting calls do not slow down the others', () => {
  let node: TestApp

  test('24 changes wait for a locked row: other organizations read and write, and the node stays ready', async () => {
    const url = await createEmptyDatabase('greenroom_starvation')
    node = await startNode(url)
    const [busy, other] = [await Caller.create(node), await Caller.create(node)]
    const holder = await lockPost(url, busy.postId)
    const held = Array.from({ length: 24 }, () => busy.tryPatch())
    for (let call = 0; call < 20; call++) {
      await Promise.all([other.readPage(), other.readPost(), other.patch(), busy.readPage(), isReady(node)])
    }
    await holder.query('rollback')
    const statuses = (await Promise.all(held)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('a row that stays locked costs a 503 with a time to retry, and nobody waits for it on the server', async () => {
    const url = await createEmptyDatabase('greenroom_starvation')
    node = await startNode(url)
    const busy = await Caller.create(node)
    const holder = await lockPost(url, busy.postId)
    const replies = await Promise.all(Array.from({ length: 5 }, () => busy.tryPatch()))
    for (const { status, headers } of replies) {
      expect([status, headers['x-error-code'], headers['retry-after']]).toEqual([503, 'busy', '5'])
    }
    const { rows } = await holder.query(
      "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
    expect(rows).toEqual([{ count: '0' }])
    await holder.query('rollback')
    await busy.patch()
  })

  test('without its standby, pages continue and changes get a 503 in time, and all recovers when it is back', async () => {
    const server = await startPostgres({ settings: { fsync: 'off' } })
    ends.push(() => server.stop())
    node = await startNode(server.url)
    const [caller, other] = [await Caller.create(node), await Caller.create(node)]
    const { database } = node.context
    const setStandby = async (name: string): Promise<void> => {
      await database.execute(`alter system set synchronous_standby_names = '${name}'`)
      await database.query('select pg_reload_conf()')
      await vi.waitFor(async () => {
        const { rows } = await database.query<{ value: string }>(
          `select current_setting('synchronous_standby_names') as value`,
        )
        expect(rows).toEqual([{ value: name }])
      }, SETTLED)
    }
    await setStandby('gone')
    const startedAt = performance.now()
    // There are more than there are connections, from two organizations.
    const changes = [caller, other].flatMap((one) => Array.from({ length: 8 }, () => one.tryPatch()))
    let answered = 0
    for (const change of changes) void change.then(() => answered++)
    let pages = 0
    const boundMs = 2 * limit('changeWaitMs') + limit('commitMs')
    while (answered < changes.length && performance.now() - startedAt < boundMs) {
      await Promise.all([caller.readPage(), other.readPost(), isReady(node)])
      pages += 1
    }
    expect(answered).toBe(changes.length)
    for (const { status, headers } of await Promise.all(changes)) {
      expect([status, headers['retry-after']]).toEqual([503, '5'])
    }
    expect(pages).toBeGreaterThan(20)
    await setStandby('')
    await Promise.all([caller.patch(), other.patch()])
  })
})
