/**
 * `npm run bench:vip-users`: pages of GET /vip-users a second, signature and validation included, on both engines, against a
 * ceiling: a bare node:http server sending the same bytes. And against peers over the same PostgreSQL, where bench/ has its
 * packages (`npm install` in bench/). `--quick` takes under a minute, `--only <scenario>` asks for one kind of page.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.js'
import { type Context, createContext } from '../src/context.js'
import type { Database } from '../src/database/database.js'
import { insertKey, keySecretContext } from '../src/http/keys.store.js'
import { newId, newSecret } from '../src/lib/ids.js'
import { signDate } from '../src/lib/sign-date.js'
import { insertOrganization } from '../src/operator/organizations.store.js'
import { connectChannel, insertChannel, insertWorkspace } from '../src/workspaces/workspaces.store.js'
import { type Child, startChild } from '../test/child.js'
import { createEmptyDatabase } from '../test/test-database.js'
import type { LoadOrder, LoadResult } from './programs/load.js'

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' } },
})
const QUICK = options.quick ?? false
const ROUNDS = QUICK ? 3 : 5
const ROUND_MS = QUICK ? 600 : 2_000
const WARM_UP_MS = QUICK ? 400 : 1_000
const CONNECTIONS = 32
/** Conversations of each channel; the second is larger than the guardrail of interface 8. */
const CHANNELS = QUICK ? [25_000] : [25_000, 1_000_000]

/** In one statement. */
const FILL_ROWS = 25_000

interface Scenario {
  name: string
  query: string
  /** Slow for those who scan, so that they need not be asked. */
  peers: boolean
}

const SCENARIOS: Scenario[] = [
  { name: 'full 50', query: 'scope=all', peers: true },
  { name: 'full 50, offset 20,000', query: 'scope=all&offset=20000', peers: true },
  { name: 'full 200', query: 'scope=all&limit=200', peers: false },
  { name: 'compact 5,000', query: 'scope=all&compact=true', peers: true },
  ...(QUICK
    ? []
    : [
        { name: 'full 50, VIPs', query: 'scope=vip', peers: false },
        { name: 'full 50, one month', query: 'scope=all&birthdayMonth=5', peers: false },
        { name: 'full 200, offset 20,000', query: 'scope=all&limit=200&offset=20000', peers: false },
        { name: 'compact 5,000, offset 20,000', query: 'scope=all&compact=true&offset=20000', peers: false },
        { name: 'compact 5,000, VIPs, one month', query: 'scope=vip&compact=true&birthdayMonth=5', peers: false },
      ]),
]

interface Data {
  organizationId: string
  workspaceId: string
  channelIds: string[]
  key: { id: string; secret: string }
}

/** What is asked, and how. */
interface Target {
  name: string
  port: number
  key: Data['key'] | undefined
  path(scenario: Scenario, channel: number): string
  asked(scenario: Scenario): boolean
}

const children: Child[] = []
const directory = mkdtempSync(join(tmpdir(), 'greenroom-bench-'))

async function main(): Promise<void> {
  const masterKey = randomBytes(32).toString('hex')
  const databaseUrl = await createEmptyDatabase('greenroom_bench')
  const postgres = { MASTER_KEY: masterKey, DATABASE_URL: databaseUrl }
  const embedded = { MASTER_KEY: masterKey, DATA_DIR: join(directory, 'data') }
  const { data: onPostgres, version } = await fill(postgres)
  const { data: onEmbedded } = await fill(embedded)

  const load = start('programs/load.ts')
  const ceilingPort = await portOf(start('programs/bare-server.ts'))
  const services = [
    await service('Greenroom, PostgreSQL', postgres, onPostgres),
    await service('Greenroom, embedded', embedded, onEmbedded),
  ]
  const ceiling: Target = {
    name: 'bare node:http',
    port: ceilingPort,
    key: undefined,
    path: ({ query }, channel) => `/${channel}?${query}`,
    asked: () => true,
  }
  const peers = await startPeers(databaseUrl, onPostgres)
  const targets = [ceiling, ...services, ...peers]

  print(`
GET /vip-users over ${CONNECTIONS} connections: pages a second, medians of ${ROUNDS} interleaved rounds of ${ROUND_MS / 1000} s.
${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}; Node ${process.version}; PostgreSQL ${version}.
Load, server and PostgreSQL share this machine.
`)
  for (const [channel, conversations] of CHANNELS.entries()) {
    for (const scenario of SCENARIOS.filter(({ name }) => options.only === undefined || name === options.only)) {
      const asked = targets.filter((target) => target.asked(scenario))
      await givePage(services[0]!, ceilingPort, scenario, channel)
      const results = new Map<Target, LoadResult[]>(asked.map((target) => [target, []]))
      for (const target of asked) await ask(load, target, scenario, channel, WARM_UP_MS)
      for (let round = 0; round < ROUNDS; round++) {
        for (const target of asked) results.get(target)!.push(await ask(load, target, scenario, channel, ROUND_MS))
      }
      printTable(`${scenario.name}, channel of ${conversations.toLocaleString('en')}`, results, ceiling)
    }
  }
}

/** The same made-up audience on either engine. Nine of ten conversations are VIPs. */
async function fill(env: Record<string, string>): Promise<{ data: Data; version: string }> {
  const context = await createContext(readConfig({ ...env, LOG_LEVEL: 'silent' }))
  try {
    const data = await fillDirectory(context)
    for (const [index, channelId] of data.channelIds.entries()) {
      await fillChannel(context.database, data, channelId, CHANNELS[index]!)
    }
    await context.database.query('vacuum analyze')
    const { rows } = await context.database.query<{ server_version: string }>('show server_version')
    return { data, version: rows[0]?.server_version ?? '' }
  } finally {
    await context.close()
  }
}

async function fillDirectory({ database, sealer }: Context): Promise<Data> {
  const createdAt = new Date()
  const [organizationId, workspaceId] = [newId('org'), newId('ws')]
  const key = { id: newId('key'), secret: newSecret() }
  await insertOrganization(database, { organizationId, name: 'Bench', createdAt })
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'Bench', type: 'VIP' })
  const secretSealed = sealer.seal(key.secret, keySecretContext(key.id))
  await insertKey(database, { keyId: key.id, organizationId, secretSealed, createdAt })
  const channelIds = CHANNELS.map((_, index) => `FB_PAGE_${1_000_000 + index}`)
  for (const channelId of channelIds) {
    await insertChannel(database, organizationId, { channel_id: channelId, type: 'FB_PAGE', name: channelId })
    await connectChannel(database, organizationId, workspaceId, channelId)
  }
  return { organizationId, workspaceId, channelIds, key }
}

async function fillChannel(
  database: Database,
  { organizationId, workspaceId }: Data,
  channelId: string,
  conversations: number,
): Promise<void> {
  for (let first = 1; first <= conversations; first += FILL_ROWS) {
    const last = Math.min(first + FILL_ROWS - 1, conversations)
    await database.query(
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, last_name,
         profile_pic, birthday, last_purchase_at_ms, last_user_message_at_ms, last_app_open_at_ms, lifetime_value)
       select $1, $2, 't_' || md5(n::text), 'cu_' || (100000000 + n), 'user.' || n, 'First' || n % 997,
              'Last' || n % 4999, 'https://media.example/profiles/' || md5('p' || n) || '.jpg',
              case when n % 3 > 0 then to_char(date '1960-01-01' + (n::bigint * 7919 % 16000)::int, 'YYYY-MM-DD') end,
              1700000000000 + n * 1000::bigint, 1710000000000 + n * 1000::bigint, 1720000000000 + n * 1000::bigint,
              (n::bigint * 7919 % 100003) / 7.0
         from generate_series($3::int, $4::int) n`,
      [organizationId, channelId, first, last],
    )
    // A table that has just been filled knows nothing of itself yet: the marks' foreign keys would scan it for each row.
    if (first === 1) await database.query('analyze')
    await database.query(
      `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
       select $1, $2, $3, 't_' || md5(n::text) from generate_series($4::int, $5::int) n where n % 10 > 0`,
      [organizationId, channelId, workspaceId, first, last],
    )
  }
}

async function service(name: string, env: Record<string, string>, data: Data): Promise<Target> {
  const child = start('programs/service.ts', env)
  return {
    name,
    port: await portOf(child),
    key: data.key,
    path: ({ query }, channel) =>
      `/v1/vip-users?workspaceId=${data.workspaceId}&mediumId=${data.channelIds[channel]}&${query}`,
    asked: () => true,
  }
}

/** Those whose packages are installed. */
async function startPeers(databaseUrl: string, data: Data): Promise<Target[]> {
  if (!existsSync(new URL('node_modules/express', import.meta.url))) return []
  const child = start('peers/express-drizzle.mjs', { DATABASE_URL: databaseUrl })
  return [
    {
      name: 'Express + Drizzle',
      port: await portOf(child),
      key: undefined,
      path: ({ query }, channel) =>
        `/vip-users?organizationId=${data.organizationId}&mediumId=${data.channelIds[channel]}&${query}`,
      asked: ({ peers }) => peers,
    },
  ]
}

function start(program: string, env: Record<string, string> = {}): Child {
  const child = startChild(new URL(program, import.meta.url), [], env)
  children.push(child)
  return child
}

/** The number on its first line. */
async function portOf(child: Child): Promise<number> {
  const { value, done } = await child.lines.next()
  if (done) throw new Error(`a server did not start:\n${child.errors()}`)
  return Number(value)
}

/** The ceiling sends what the service sends. */
async function givePage(target: Target, ceilingPort: number, scenario: Scenario, channel: number): Promise<void> {
  const date = new Date().toUTCString()
  const { id, secret } = target.key!
  const answer = await fetch(`http://127.0.0.1:${target.port}${target.path(scenario, channel)}`, {
    headers: { 'x-api-version': '1', 'x-api-key': id, 'x-date': date, 'x-signature': signDate(secret, date) },
  })
  const body = await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${Buffer.from(body)}`)
  await fetch(`http://127.0.0.1:${ceilingPort}/${channel}?${scenario.query}`, { method: 'PUT', body })
}

async function ask(load: Child, target: Target, scenario: Scenario, channel: number, ms: number): Promise<LoadResult> {
  const order: LoadOrder = {
    port: target.port,
    path: target.path(scenario, channel),
    connections: CONNECTIONS,
    ms,
    headers: {},
    key: target.key,
    status: 200,
  }
  load.process.stdin.write(`${JSON.stringify(order)}\n`)
  const { value, done } = await load.lines.next()
  if (done) throw new Error(`the load failed:\n${load.errors()}`)
  return JSON.parse(value) as LoadResult
}

function printTable(title: string, results: Map<Target, LoadResult[]>, ceiling: Target): void {
  const rate = (target: Target): number =>
    median(results.get(target)!.map(({ requests, seconds }) => requests / seconds))
  const rows = [...results].map(([target, rounds]) => [
    target.name,
    rate(target).toFixed(rate(target) < 100 ? 1 : 0),
    (rate(target) / rate(ceiling)).toFixed(rate(target) / rate(ceiling) < 0.1 ? 4 : 2),
    median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(2),
    median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(2),
    (median(rounds.map(({ bytes, seconds }) => bytes / seconds)) / 2 ** 20).toFixed(1),
  ])
  const table = [[title, 'pages/s', 'of the ceiling', 'p50 ms', 'p99 ms', 'MiB/s'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const cells = (row: string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('   ')
  print(`\n${table.map(cells).join('\n')}\n`)
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

function print(text: string): void {
  process.stdout.write(text)
}

try {
  await main()
} finally {
  for (const child of children) child.process.stdin.end()
  await Promise.all(children.map(({ ended }) => ended))
  rmSync(directory, { recursive: true, force: true })
}
