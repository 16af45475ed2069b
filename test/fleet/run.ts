/**
 * `npm run test:fleet` starts a fleet on this machine (etcd, two PostgreSQL with Patroni, HAProxy, PgBouncer, two API
 * nodes, two publishers, the stand-in platform), takes parts of it away under load, and prints the results. It needs
 * Linux, root and Debian's packages, takes at most 15 minutes, and stops what it started. Arguments name the trials to
 * run.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { insertKey, keySecretContext } from '../../src/access/keys/keys.store.js'
import { insertOrganization } from '../../src/access/organizations.store.js'
import {
  channelTokenContext,
  connectChannel,
  insertChannel,
  insertWorkspace,
} from '../../src/channels/channels.store.js'
import { readConfig } from '../../src/config/index.js'
import { type AppContext, createContext } from '../../src/context.js'
import { newId, newSecret } from '../../src/lib/ids.js'
import { insertScheduledPost } from '../insert-scheduled-post.js'
import * as fleet from './cluster.js'
import { type Counts, call, Load, pagePath, type Tenant } from './load.js'

const TENANTS = 16
const POSTS_OF_TENANT = 4
const MANY = 10_000
const MINUTES_MAX = 15
const TOKEN = 'EAAfleet'
const PLATFORM_MS = 150

const rows: string[][] = []
/** Sums over all trials under load. */
const sums = { acknowledged: 0, lost: 0, doubled: 0, stale: 0 }
/** Captions of the posts that were due during the trials. */
const due: { organizationId: string; caption: string; postId: string }[] = []
let context: AppContext
let sandbox: Sandbox
let tenants: Tenant[] = []

const trials: Record<string, () => Promise<void>> = {
  async 'row locked'() {
    const [victim, ...others] = tenants
    const holder = new pg.Client({ connectionString: fleet.DATABASE_URL })
    await holder.connect()
    const [postId] = victim!.postIds
    await holder.query('begin')
    await holder.query('select from scheduled_posts where scheduled_post_id = $1 for update', [postId])
    const probes = watchProbes()
    const counts = await underLoad(fleet.API_PORT, others, { workers: 30, perSecond: 200 }, async () => {
      const body = JSON.stringify({ notes: 'waits' })
      const patches = Array.from({ length: 24 }, () =>
        call(fleet.API_PORT, victim!, 'PATCH', `/v1/scheduled-posts/${postId}`, { body }),
      )
      await wait(12_000)
      await Promise.all(patches)
    })
    await holder.query('rollback')
    await holder.end()
    const failed = sumOf(counts.failed)
    const notReady = await probes()
    report('24 changes of a locked row: failures of others', failed, '0', failed === 0, counts)
    report('  /readyz other than 200', notReady, '0', notReady === 0)
  },

  async 'standby stopped'() {
    const pages = new Load(fleet.API_PORT, tenants, { workers: 16, perSecond: 250, only: 'pages' })
    const changes = new Load(fleet.API_PORT, tenants, { workers: 32, perSecond: 60, only: 'changes' })
    await wait(3_000)
    const before = await rateOf(() => pages.pages, 8)
    const receiver = await fleet.walReceiver()
    process.kill(receiver, 'SIGSTOP')
    await wait(1_000)
    const meanwhile = await rateOf(() => pages.pages, 14)
    process.kill(receiver, 'SIGCONT')
    const acknowledged = changes.acknowledged
    const backAt = performance.now()
    await fleet.until('changes after the standby returns', 30, () => changes.acknowledged > acknowledged + 20)
    const backSeconds = (performance.now() - backAt) / 1000
    const read = await pages.stop(context.database)
    const changed = await changes.stop(context.database)
    note(changed)
    const ratio = meanwhile / before
    report('standby paused for 15 s: pages, share of their rate', ratio.toFixed(2), '>= 0.9', ratio >= 0.9)
    report('  pages that failed', read.failed.page, '0', read.failed.page === 0, read)
    report(
      '  changes that failed with anything but a 503 with Retry-After',
      changed.otherFailures,
      '0',
      changed.otherFailures === 0,
      changed,
    )
    const slowest = changed.slowestFailureMs / 1000
    report('  slowest of these, s', slowest.toFixed(1), '<= 20', slowest <= 20)
    report('  changes succeed again after, s', backSeconds.toFixed(1), '<= 10', backSeconds <= 10)
  },

  async restarts() {
    // A worker waits for its response, so a single serving node gets fewer requests than this.
    const counts = await underLoad(fleet.API_PLAIN_PORT, tenants, { workers: 64, perSecond: 600 }, async () => {
      for (const name of ['api1', 'api2', 'api1', 'api2']) {
        fleet.kill(name, 'SIGTERM')
        await fleet.ended(name)
        await startNode(name)
        // The proxy has noticed it.
        await wait(2_500)
      }
    })
    const failed = sumOf(counts.failed)
    report(
      `4 restarts at ${Math.round(sumOf(counts.ok) / counts.seconds)}/s, no retries: errors`,
      failed,
      '0',
      failed === 0,
      counts,
    )
  },

  async publishers() {
    const posts = await schedulePosts(200, 3, 8)
    await wait(7_000)
    fleet.kill('pub1', 'SIGKILL')
    const killedAt = performance.now()
    const unfinished = async (): Promise<number> => {
      const { rowCount } = await context.database.query(
        `select from scheduled_posts where scheduled_post_id = any($1) and status in ('SCHEDULED', 'PUBLISHING')`,
        [posts],
      )
      return rowCount
    }
    let seconds = 0
    do {
      await wait(250)
      seconds = (performance.now() - killedAt) / 1000
    } while ((await unfinished()) > 0 && seconds < 150)
    await startNode('pub1')
    // The last one is due 4 s after the kill.
    report('publisher killed in the middle: its posts taken over, s', seconds.toFixed(0), '<= 20', seconds <= 20)
  },

  async caches() {
    const many = await fillMany()
    const port = fleet.NODE_PORTS.api1!
    const api2 = fleet.NODE_PORTS.api2!
    // A key's first request reads its organization, and the second caches it.
    for (let time = 0; time < 2; time++) await readMany(port, many, many.length)
    const [still, changing] = [[], []] as [number[], number[]]
    for (let round = 0; round < 3; round++) {
      still.push(await rateOfMany(port, many, 6, 0))
      changing.push(await rateOfMany(port, many, 6, 10))
    }
    const sum = (rates: number[]): number => rates.reduce((a, b) => a + b, 0)
    const ratio = sum(changing) / sum(still)
    const perSecond = Math.round(sum(still) / still.length)
    report(
      `${MANY} organizations, ${perSecond}/s: rate at 10 changes a second`,
      ratio.toFixed(2),
      '>= 0.9',
      ratio >= 0.9,
    )
    let accepted = 0
    for (const tenant of many.slice(0, 20)) {
      for (const at of [port, api2, api2]) await call(at, tenant, 'GET', pagePath(tenant, tenant.channelId))
      const path = `/api/organizations/${tenant.organizationId}/keys/${tenant.key.id}`
      const { status } = await call(port, tenant, 'DELETE', path)
      if (status >= 300) throw new Error(`a key was not revoked: ${status}`)
      if ((await call(api2, tenant, 'GET', pagePath(tenant, tenant.channelId))).status !== 403) accepted += 1
    }
    report('  revoked keys accepted by the other node', accepted, '0', accepted === 0)
  },

  async pooler() {
    await fleet.startPooled({ GRAPH_BASE_URL: sandbox.url })
    const port = fleet.NODE_PORTS.pooled!
    const counts = await underLoad(port, tenants, { workers: 32, perSecond: 200 }, () => wait(12_000))
    for (const name of ['pooled', 'pgbouncer']) fleet.kill(name, 'SIGKILL')
    const failed = sumOf(counts.failed)
    report('behind PgBouncer by transaction: errors', failed, '0', failed === 0, counts)
  },

  async 'API node killed'() {
    await disturbed('API node killed', 6, async () => {
      fleet.kill('api1', 'SIGKILL')
      await fleet.ended('api1')
      await startNode('api1')
    })
  },

  async 'primary killed'() {
    const primary = await fleet.findPrimary()
    await disturbed('primary and its Patroni killed', 5, async () => {
      fleet.killAll(primary)
      await fleet.until('the standby to be primary', 60, () => fleet.isPrimary(3 - primary))
    })
    fleet.startPatroni(primary)
    await whole()
  },

  async 'Patroni killed'() {
    const primary = await fleet.findPrimary()
    await disturbed('only Patroni of the primary killed', 5, async () => {
      fleet.kill(`patroni${primary}`, 'SIGKILL')
      await fleet.until('the standby to be primary', 60, () => fleet.isPrimary(3 - primary))
    })
    fleet.startPatroni(primary)
    await whole()
  },

  async 'etcd away'() {
    await disturbed('etcd killed for 30 s', 5, async () => {
      fleet.kill('etcd', 'SIGKILL')
      await wait(30_000)
      fleet.startEtcd()
      await wait(5_000)
    })
    await whole()
  },

  async 'network cut'() {
    const primary = await fleet.findPrimary()
    await disturbed('network of the primary cut', 5, async () => {
      fleet.setLink(primary, 'down')
      await fleet.until('the standby to be primary', 60, () => fleet.isPrimary(3 - primary))
      await wait(5_000)
      fleet.setLink(primary, 'up')
    })
    await whole()
  },
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2)
  const unknown = wanted.filter((name) => !(name in trials))
  if (unknown.length > 0)
    throw new Error(`there is no trial ${unknown.join(', ')}: choose from ${Object.keys(trials).join(', ')}`)
  const startedAt = performance.now()
  await fleet.up()
  context = await createContext(
    readConfig({ DATABASE_URL: fleet.DATABASE_URL, MASTER_KEY: fleet.MASTER_KEY, LOG_LEVEL: 'silent' }),
  )
  tenants = await fillTenants()
  sandbox = await startSandbox({
    model: {
      tokens: {},
      adAccounts: [],
      pages: tenants.map(({ channelId }) => {
        const id = channelId.replace('FB_PAGE_', '')
        return { id, platform: 'facebook', name: id, accessToken: TOKEN, quotaTotal: 100_000 }
      }),
    },
    onRequest: () => wait(PLATFORM_MS),
  })
  for (const name of ['api1', 'api2', 'pub1', 'pub2']) await startNode(name)
  await fleet.until(
    'the proxy to have its nodes',
    20,
    async () => (await fleet.statusOf(`http://127.0.0.1:${fleet.API_PORT}/readyz`)) === 200,
  )
  for (const [name, trial] of Object.entries(trials)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${name}\n`)
    await trial().catch((error: Error) => report(name, error.message, '', false))
  }
  await reportPublished()
  report('lost acknowledged writes', `${sums.lost} of ${sums.acknowledged}`, '0', sums.lost === 0)
  report('duplicate creations', sums.doubled, '0', sums.doubled === 0)
  report('answers older than an acknowledged write', sums.stale, '0', sums.stale === 0)
  const minutes = (performance.now() - startedAt) / 60_000
  report('minutes', minutes.toFixed(1), `<= ${MINUTES_MAX}`, minutes <= MINUTES_MAX)
}

/**
 * Runs a load of pages and changes, with posts that become due, while something is taken away; continues until changes
 * are acknowledged.
 */
async function disturbed(name: string, seconds: number, disturb: () => Promise<void>): Promise<void> {
  await schedulePosts(60, 2, 30)
  let away = 0
  const counts = await underLoad(fleet.API_PORT, tenants, { workers: 32, perSecond: 200 }, async (load) => {
    await wait(seconds * 1000)
    let [last, lastAt] = [load.acknowledged, performance.now()]
    const timer = setInterval(() => {
      const now = performance.now()
      if (load.acknowledged > last) [last, lastAt] = [load.acknowledged, now]
      away = Math.max(away, now - lastAt)
    }, 50)
    await disturb()
    const acknowledged = load.acknowledged
    await fleet.until('changes to be acknowledged again', 60, () => load.acknowledged > acknowledged + 50)
    await wait(3_000)
    clearInterval(timer)
  })
  const wrong = counts.lost + counts.doubled + counts.stale
  const failed = sumOf(counts.failed)
  report(`${name}: lost, duplicated or stale`, wrong, '0', wrong === 0)
  report(
    `  longest time without a change, s; failed calls of ${failed + sumOf(counts.ok)}`,
    `${(away / 1000).toFixed(1)}; ${failed}`,
    '',
    true,
    counts,
  )
}

async function underLoad(
  port: number,
  of: Tenant[],
  options: { workers: number; perSecond: number },
  work: (load: Load) => Promise<unknown>,
): Promise<Counts> {
  const load = new Load(port, of, options)
  let counts: Counts
  try {
    await wait(1_000)
    await work(load)
  } finally {
    counts = await load.stop(context.database)
    note(counts)
  }
  return counts
}

function note(counts: Counts): void {
  sums.acknowledged += counts.ok.patch + counts.ok.create + counts.ok.import
  for (const name of ['lost', 'doubled', 'stale'] as const) sums[name] += counts[name]
}

async function startNode(name: string): Promise<void> {
  fleet.startNode(name, { GRAPH_BASE_URL: sandbox.url })
  await fleet.until(`${name} to be ready`, 60, () => fleet.isReady(name))
}

const whole = (): Promise<void> => fleet.until('a synchronous standby', 90, fleet.isWhole)

/** Probes both nodes until the returned function is called, which returns how many responses were not 200. */
function watchProbes(): () => Promise<number> {
  let isOver = false
  let wrong = 0
  const watch = async (name: string): Promise<void> => {
    while (!isOver) {
      if (!(await fleet.isReady(name))) wrong += 1
      await wait(200)
    }
  }
  const watching = Promise.all(['api1', 'api2'].map(watch))
  return async () => {
    isOver = true
    await watching
    return wrong
  }
}

async function rateOf(count: () => number, seconds: number): Promise<number> {
  const [before, startedAt] = [count(), performance.now()]
  await wait(seconds * 1000)
  return ((count() - before) * 1000) / (performance.now() - startedAt)
}

async function insertTenant(index: number, posts: number): Promise<Tenant> {
  const { database, sealer } = context
  const [organizationId, workspaceId, createdAt] = [newId('org'), newId('ws'), new Date()]
  const key = { id: newId('key'), secret: newSecret() }
  await insertOrganization(database, { organizationId, name: `Org ${index}`, createdAt })
  await insertKey(database, {
    keyId: key.id,
    organizationId,
    secretSealed: sealer.seal(key.secret, keySecretContext(key.id)),
    createdAt,
  })
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'VIPs', type: 'VIP' })
  const [channelId, importChannelId] = [0, 1].map((kind) => `FB_PAGE_${1_000_000 + index * 2 + kind}`) as [
    string,
    string,
  ]
  for (const id of [channelId, importChannelId]) {
    const sealed = sealer.seal(TOKEN, channelTokenContext(organizationId, id))
    await insertChannel(database, organizationId, { channel_id: id, type: 'FB_PAGE', name: id }, sealed)
    await connectChannel(database, organizationId, workspaceId, id)
  }
  await database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, lifetime_value)
     select $1, $2, 'c' || i, 'cu' || i, 'Name ' || i, i from generate_series(1, 50) i`,
    [organizationId, channelId],
  )
  const postIds = Array.from({ length: posts }, () => newId('post'))
  await database.transaction(async (tx) => {
    for (const scheduledPostId of postIds) {
      await insertScheduledPost(tx, organizationId, {
        scheduledPostId,
        status: 'DRAFT',
        notes: 'as drafted',
        createdAt,
      })
    }
  })
  return { organizationId, workspaceId, channelId, importChannelId, key, postIds }
}

async function fillTenants(): Promise<Tenant[]> {
  const made: Tenant[] = []
  for (let index = 0; index < TENANTS; index++) made.push(await insertTenant(index, POSTS_OF_TENANT))
  return made
}

/** Makes organizations with one key and one channel of five people each. */
async function fillMany(): Promise<Tenant[]> {
  const many = Array.from({ length: MANY }, (_, index): Tenant => {
    const key = { id: newId('key'), secret: newSecret() }
    const ids = { organizationId: `org_many_${index}`, workspaceId: `ws_many_${index}`, channelId: `FB_PAGE_9${index}` }
    return { ...ids, importChannelId: '', key, postIds: [] }
  })
  // A commit counts each of its rows.
  for (let done = 0; done < MANY; done += 500) await insertSome(many.slice(done, done + 500))
  await context.database.execute('analyze')
  return many
}

async function insertSome(some: Tenant[]): Promise<void> {
  const { database, sealer } = context
  const rows = some.map(({ organizationId, workspaceId, channelId, key }) => ({
    organization_id: organizationId,
    workspace_id: workspaceId,
    channel_id: channelId,
    key_id: key.id,
    sealed: sealer.seal(key.secret, keySecretContext(key.id)),
  }))
  const from = `from jsonb_to_recordset($1::jsonb)
    as r (organization_id text, workspace_id text, channel_id text, key_id text, sealed text)`
  await database.transaction(async (tx) => {
    for (const insert of [
      'organizations (organization_id, name, created_at) select organization_id, organization_id, now()',
      'api_keys (key_id, organization_id, secret_sealed, created_at) select key_id, organization_id, sealed, now()',
      "workspaces (organization_id, workspace_id, name, type) select organization_id, workspace_id, 'VIPs', 'VIP'",
      "channels (organization_id, channel_id, type, name) select organization_id, channel_id, 'FB_PAGE', channel_id",
      'workspace_channels (organization_id, workspace_id, channel_id) select organization_id, workspace_id, channel_id',
    ]) {
      await tx.query(`insert into ${insert} ${from}`, [JSON.stringify(rows)])
    }
    await tx.query(
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value)
       select organization_id, channel_id, 'c' || i, 'cu', i ${from} cross join generate_series(1, 5) i`,
      [JSON.stringify(rows)],
    )
  })
}

/** Reads `count` pages of all organizations in turn, over 16 connections. */
async function readMany(port: number, many: Tenant[], count: number): Promise<void> {
  let next = 0
  const read = async (): Promise<void> => {
    while (next < count) {
      const tenant = many[next++ % many.length]!
      const { status } = await call(port, tenant, 'GET', pagePath(tenant, tenant.channelId))
      if (status !== 200) throw new Error(`a page answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, read))
}

/** Pages per second of random organizations while keys are issued. */
async function rateOfMany(port: number, many: Tenant[], seconds: number, changesPerSecond: number): Promise<number> {
  const endAt = performance.now() + seconds * 1000
  let pages = 0
  const anyOf = (): Tenant => many[Math.floor(Math.random() * many.length)]!
  const read = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const tenant = anyOf()
      const { status } = await call(port, tenant, 'GET', pagePath(tenant, tenant.channelId))
      if (status !== 200) throw new Error(`a page answered ${status}`)
      pages += 1
    }
  }
  const changes: Promise<unknown>[] = []
  const timer =
    changesPerSecond === 0
      ? undefined
      : setInterval(() => {
          const tenant = anyOf()
          changes.push(call(port, tenant, 'POST', `/api/organizations/${tenant.organizationId}/keys`))
        }, 1000 / changesPerSecond)
  await Promise.all(Array.from({ length: 16 }, read))
  clearInterval(timer)
  await Promise.all(changes)
  return pages / seconds
}

/** Schedules posts from `lead` seconds on, spread over some more seconds. */
async function schedulePosts(count: number, lead: number, spread: number): Promise<string[]> {
  const startAt = Date.now() + lead * 1000
  const postIds: string[] = []
  await context.database.transaction(async (tx) => {
    postIds.length = 0
    for (let index = 0; index < count; index++) {
      const { organizationId, channelId } = tenants[index % tenants.length]!
      const scheduledPostId = newId('post')
      await insertScheduledPost(tx, organizationId, {
        scheduledPostId,
        status: 'SCHEDULED',
        media: 'https://media.example/a.jpg',
        mediaType: 'IMAGE',
        scheduledFor: new Date(startAt + (spread * 1000 * index) / count),
        channels: [{ channelId, caption: scheduledPostId }],
        createdAt: new Date(),
      })
      postIds.push(scheduledPostId)
      due.push({ organizationId, caption: scheduledPostId, postId: scheduledPostId })
    }
  })
  return postIds
}

/** Reports the due posts, according to the database and the platform. */
async function reportPublished(): Promise<void> {
  if (due.length === 0) return
  const statuses = async (): Promise<Map<string, number>> => {
    const { rows } = await context.database.query<{ status: string; posts: number }>(
      'select status, count(*) as posts from scheduled_posts where scheduled_post_id = any($1) group by status',
      [due.map(({ postId }) => postId)],
    )
    return new Map(rows.map(({ status, posts }) => [status, posts]))
  }
  const isOver = async (): Promise<boolean> => {
    const now = await statuses()
    return !now.has('SCHEDULED') && !now.has('PUBLISHING')
  }
  await fleet.until('the posts to be published', 150, isOver).catch(() => {})
  const published = new Map<string, number>()
  for (const { text } of sandbox.published) published.set(text, (published.get(text) ?? 0) + 1)
  const doubled = [...published.values()].filter((times) => times > 1).length
  const out = (await statuses()).get('PUBLISHED') ?? 0
  report('published posts, of those due', `${out} of ${due.length}`, 'all', out === due.length)
  report('posts published twice', doubled, '0', doubled === 0)
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0)

function report(what: string, measured: string | number, goal: string, isMet: boolean, counts?: Counts): void {
  rows.push([what, String(measured), goal, goal === '' && isMet ? '' : isMet ? 'met' : 'MISSED'])
  process.stderr.write(`  ${what}: ${measured}\n`)
  if (counts !== undefined && sumOf(counts.codes) > 0) process.stderr.write(`    ${JSON.stringify(counts.codes)}\n`)
}

function printTable(): void {
  const table = [['trial', 'measured', 'goal', ''], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  process.stdout.write(
    `${table
      .map((row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')}\n`,
  )
}

let isOver = false
async function end(code: number): Promise<void> {
  if (isOver) return
  isOver = true
  printTable()
  fleet.down(code !== 0)
  process.exit(code)
}

const timer = setTimeout(() => {
  report('time', `more than ${MINUTES_MAX} minutes`, '', false)
  void end(1)
}, MINUTES_MAX * 60_000)
timer.unref()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(130))
try {
  await main()
} catch (error) {
  report('the fleet', (error as Error).message, '', false)
}
await end(rows.some((row) => row[3] === 'MISSED') ? 1 : 0)
