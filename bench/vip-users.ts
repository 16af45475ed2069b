/**
 * `npm run bench:vip-users`: what GET /vip-users costs, signature and validation included, on both engines: pages a second
 * against a ceiling and against peers over the same PostgreSQL, pages while the channel changes, the first page of a channel,
 * memory. `--quick` takes under a minute, `--only <text>` measures what has the text in its name, such as "compact".
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { countConversations, readInSnapshot, readListRows } from '../src/audience/cache/list-rows.store.js'
import { connectChannel, insertChannel, insertWorkspace } from '../src/channels/channels.store.js'
import type { AppContext } from '../src/context.js'
import type { Database } from '../src/database/database.js'
import { newId } from '../src/lib/ids.js'
import type { Child } from '../test/child.js'
import type { BareAnswer } from './programs/bare-server.js'
import type { LoadOrder, LoadResult } from './programs/load.js'
import {
  askLoad,
  bench,
  cpuSeconds,
  describeMachine,
  type Engine,
  type Env,
  expectStatus,
  formatCount,
  formatRatio,
  insertTenant,
  type Key,
  median,
  nameDatabase,
  newDatabase,
  OPERATOR_TOKEN,
  print,
  printTable,
  type RawAnswer,
  type Server,
  send,
  signedHeaders,
  start,
  startServer,
  withContext,
} from './shared.js'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
const QUICK = options.quick ?? false
const isWanted = (name: string): boolean => name.includes(options.only ?? '')

const ROUNDS = QUICK ? 3 : 5
const ROUND_MS = QUICK ? 300 : 1_000
const WARM_UP_MS = QUICK ? 200 : 500
const CONNECTIONS = 32
const SMALL = 25_000
/** Channels that are read for the first time, each as large as one scan. */
const COLD_CHANNELS = QUICK ? 1 : 5
/** Long enough for some changes at ten a second. */
const CHANGES_ROUND_MS = QUICK ? 500 : 2_000
/** Pairs of a page after one changed row and one after none. */
const CHANGED_ROW_PAIRS = QUICK ? 30 : 200
/** How many different lifetime values there are. */
const LIFETIME_VALUES = 100_003
/** In one statement. */
const FILL_ROWS = 25_000

interface Scenario {
  name: string
  query: string
  headers?: Record<string, string>
  /** Asked for with the ETag of the page, and answered 304. */
  known?: true
  /** Asked of the peers as well. */
  peers?: true
  /** Asked for of the large channel as well. */
  large?: true
  quick?: true
}

const BIRTHDAY_MONTH = 'birthdayMonth=5'
const SCENARIOS: Scenario[] = [
  { name: 'full 50', query: 'scope=all', peers: true, large: true, quick: true },
  { name: 'full 50, offset 20,000', query: 'scope=all&offset=20000', peers: true, large: true, quick: true },
  { name: 'full 50, one month', query: `scope=all&${BIRTHDAY_MONTH}`, large: true },
  { name: 'full 50, VIPs', query: 'scope=vip', large: true },
  { name: 'full 50, VIPs, one month', query: `scope=vip&${BIRTHDAY_MONTH}` },
  { name: 'full 50, 304', query: 'scope=all', known: true, quick: true },
  { name: 'full 200', query: 'scope=all&limit=200', large: true, quick: true },
  { name: 'full 200, offset 20,000', query: 'scope=all&limit=200&offset=20000' },
  { name: 'full 200, gzip', query: 'scope=all&limit=200', headers: { 'accept-encoding': 'gzip' } },
  { name: 'compact 5,000', query: 'scope=all&compact=true', peers: true, large: true, quick: true },
  { name: 'compact 5,000, offset 20,000', query: 'scope=all&compact=true&offset=20000', large: true },
  { name: 'compact 5,000, VIPs', query: 'scope=vip&compact=true' },
  { name: 'compact 5,000, VIPs, one month', query: `scope=vip&compact=true&${BIRTHDAY_MONTH}`, large: true },
  { name: 'compact 5,000, gzip', query: 'scope=all&compact=true', headers: { 'accept-encoding': 'gzip' } },
  { name: 'compact 5,000, br', query: 'scope=all&compact=true', headers: { 'accept-encoding': 'br' } },
]
const scenarios = SCENARIOS.filter(({ name, quick }) => isWanted(name) && (quick || !QUICK))
/** Of the channels whose pages are asked for; the second is larger than the guardrail of interface 8. */
const SIZES = !QUICK && scenarios.some(({ large }) => large) ? [SMALL, 1_000_000] : [SMALL]

/** Parts of this bench besides the scenarios. */
const CHANGES = 'changed rows a second'
const COLD = 'first page of a channel, memory'
const CHANGED_ROW = 'page after one changed row'

interface Data {
  organizationId: string
  workspaceId: string
  key: Key
  database: string
  /** Of SIZES. */
  channelIds: string[]
  coldChannelIds: string[]
}

/** One of our services. */
interface Service extends Server {
  name: Engine
  env: Env
  data: Data
  /** Where rows are changed: the service itself, or on PostgreSQL another process beside it. */
  writer: Server
  /** Of each cold channel: the SQL that its first page must run. Only this process can run it, and only before the service does. */
  embeddedSqlMs: Map<string, number>
}

/** Whoever is asked for pages. */
interface Target {
  name: string
  pid: number
  isPeer?: true
  asks: readonly Scenario[]
  /** Gets ready and gives the order for the load. */
  order(scenario: Scenario, channel: number): Promise<Omit<LoadOrder, 'connections' | 'ms'>>
}

type Round = LoadResult & { cpuSeconds: number }

/** One kind of page of one channel, and what came of asking for it. */
interface Case {
  scenario: Scenario
  channel: number
  conversations: number
  rounds: Map<Target, Round[]>
}

/** Rows changed so far: each changes another one. */
let changedRows = 0

/** What was promised and what came of it. */
const goals: string[][] = [['goal', 'at most or least', 'measured', '']]

async function main(): Promise<void> {
  const load = start('programs/load.ts')
  const services: Service[] = []
  for (const engine of ['PostgreSQL', 'embedded'] as const) services.push(await startService(engine))
  print(`
GET /vip-users over ${CONNECTIONS} connections, medians of ${ROUNDS} interleaved rounds of ${ROUND_MS / 1000} s.
${describeMachine(services.map(({ data }) => data.database))}
Load, servers and PostgreSQL share this machine. The bare server gets the same requests and sends the same answers, head and body.
CPU is that of the server's process alone; PostgreSQL's is not in it.
`)
  if (scenarios.length > 0) await measurePages(load, services)
  if (isWanted(CHANGES)) for (const service of services) await measureChanges(load, service)
  if (isWanted(COLD)) for (const service of services) await measureFirstPages(service)
  if (isWanted(CHANGED_ROW)) for (const service of services) await measureChangedRow(service)
  if (goals.length > 1) printTable(goals)
}

async function startService(engine: Engine): Promise<Service> {
  const env = { ...(await newDatabase(engine, 'vip_users')), OPERATOR_TOKEN }
  const embeddedSqlMs = new Map<string, number>()
  const data = await withContext(env, async (context) => {
    const filled = await fill(context)
    if (engine === 'PostgreSQL') return filled
    for (const channelId of filled.coldChannelIds) {
      embeddedSqlMs.set(channelId, await timeOf(() => runFirstPageSql(context.database, filled, channelId)))
    }
    return filled
  })
  const service = await startServer('programs/service.ts', env)
  const writer = engine === 'PostgreSQL' && isWanted(CHANGES) ? await startServer('programs/service.ts', env) : service
  return { ...service, name: engine, data, writer, embeddedSqlMs, env }
}

/** Nine of ten conversations are VIPs; the same made-up audience on either engine. */
async function fill(context: AppContext): Promise<Data> {
  const { database } = context
  const { organizationId, key } = await insertTenant(context)
  const workspaceId = newId('ws')
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'Bench', type: 'VIP' })
  const coldSizes = isWanted(COLD) ? Array.from({ length: COLD_CHANNELS }, () => SMALL) : []
  const channelIds: string[] = []
  for (const conversations of [...SIZES, ...coldSizes]) {
    const channelId = `FB_PAGE_${1_000_000 + channelIds.length}`
    channelIds.push(channelId)
    await insertChannel(database, organizationId, { channel_id: channelId, type: 'FB_PAGE', name: channelId })
    await connectChannel(database, organizationId, workspaceId, channelId)
    await fillChannel(database, { organizationId, workspaceId, channelId }, conversations)
  }
  await database.query('vacuum analyze')
  return {
    organizationId,
    workspaceId,
    key,
    database: await nameDatabase(context),
    channelIds: channelIds.slice(0, SIZES.length),
    coldChannelIds: channelIds.slice(SIZES.length),
  }
}

async function fillChannel(
  database: Database,
  { organizationId, workspaceId, channelId }: { organizationId: string; workspaceId: string; channelId: string },
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
              (n::bigint * 7919 % ${LIFETIME_VALUES}) / 7.0
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

// Pages of every kind.

async function measurePages(load: Child, services: Service[]): Promise<void> {
  const ceiling = await startServer('programs/bare-server.ts')
  const targets = [
    ceilingTarget(ceiling, services[0]!),
    ...services.map(serviceTarget),
    ...(await startPeers(services[0]!)),
  ]
  const cases = SIZES.flatMap((conversations, channel) =>
    scenarios
      .filter(({ large }) => large || conversations === SMALL)
      .map((scenario): Case => {
        const asked = targets.filter(({ asks }) => asks.includes(scenario))
        return { scenario, channel, conversations, rounds: new Map(asked.map((target) => [target, []])) }
      }),
  )
  for (let round = -1; round < ROUNDS; round++) {
    for (const { scenario, channel, conversations, rounds } of cases) {
      for (const [target, results] of rounds) {
        // A peer takes half a minute for one round of a large channel: one tells enough.
        if (target.isPeer && conversations > SMALL && round !== 0) continue
        const result = await ask(load, target, scenario, channel, round < 0 ? WARM_UP_MS : ROUND_MS)
        if (round >= 0) results.push(result)
      }
    }
  }
  for (const { scenario, conversations, rounds } of cases) {
    printPages(`${scenario.name}, channel of ${conversations.toLocaleString('en')}`, rounds, targets[0]!)
  }
  for (const conversations of SIZES) judgePages(conversations, cases, targets)
}

async function ask(load: Child, target: Target, scenario: Scenario, channel: number, ms: number): Promise<Round> {
  const order = await target.order(scenario, channel)
  const before = cpuSeconds(target.pid)
  const result = await askLoad(load, { ...order, connections: CONNECTIONS, ms })
  return { ...result, cpuSeconds: cpuSeconds(target.pid) - before }
}

const pathOf = ({ workspaceId, channelIds }: Data, query: string, channel = 0): string =>
  `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelIds[channel]}&${query}`

function serviceTarget(service: Service): Target {
  const { name, data } = service
  return {
    name: `Greenroom, ${name}`,
    pid: service.pid,
    asks: scenarios,
    async order({ query, headers = {}, known }, channel) {
      const path = pathOf(data, query, channel)
      const etag = known && (await getPage(service, path)).headers.etag
      return {
        port: service.port,
        requests: [{ path }],
        headers: etag === undefined ? headers : { ...headers, 'if-none-match': String(etag) },
        key: data.key,
        status: etag === undefined ? 200 : 304,
      }
    },
  }
}

/** What every node:http server writes itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive']

/** Answers what the service answers, to the same requests. */
function ceilingTarget(server: Server, service: Service): Target {
  const original = serviceTarget(service)
  return {
    name: 'bare node:http',
    pid: server.pid,
    asks: scenarios,
    async order(scenario, channel) {
      const order = await original.order(scenario, channel)
      const { path } = order.requests[0]!
      const headers = { ...order.headers, ...signedHeaders(service.data.key) }
      const answer = expectStatus(await send(service, path, { headers }), order.status)
      const pairs = answer.rawHeaders.flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1]!]] : []))
      const given: BareAnswer = {
        status: answer.status,
        headers: pairs.filter(([name]) => !OWN_HEADERS.includes(name!.toLowerCase())).flat(),
        body: answer.body.toString('base64'),
      }
      await send(server, path, { method: 'PUT', body: JSON.stringify(given) })
      return { ...order, port: server.port }
    },
  }
}

/** Those whose packages are installed: they are in package files of their own, so that the service does not carry them. */
async function startPeers({ env, data }: Service): Promise<Target[]> {
  const { organizationId, channelIds } = data
  const targets: Target[] = []
  const peer = async (
    name: string,
    installed: string,
    program: string,
    pathFor: (query: URLSearchParams, channelId: string) => string,
  ) => {
    if (!existsSync(new URL(installed, import.meta.url))) {
      print(`${name} is not installed and so not measured.\n`)
      return
    }
    const server = await startServer(program, env)
    targets.push({
      name,
      pid: server.pid,
      isPeer: true,
      asks: scenarios.filter(({ peers }) => peers),
      order: async ({ query }, channel) => ({
        port: server.port,
        requests: [{ path: pathFor(new URLSearchParams(query), channelIds[channel]!) }],
        headers: {},
        key: undefined,
        status: 200,
      }),
    })
  }
  await peer('Express + Drizzle', 'node_modules/express', 'peers/express-drizzle.mjs', (query, channelId) => {
    return `/vip-users?${new URLSearchParams({ organizationId, mediumId: channelId })}&${query}`
  })
  await peer(
    'Platformatic DB',
    'peers/platformatic/node_modules',
    'peers/platformatic/server.mjs',
    (query, channelId) => {
      const compact = query.has('compact')
      const asked = new URLSearchParams({
        // It takes where.organizationId for a where.or, and so only this reaches the field.
        'where.or': `(organizationId.eq=${organizationId})`,
        'where.channelId.eq': channelId,
        'orderby.lifetimeValue': 'desc',
        'orderby.conversationId': 'asc',
        limit: compact ? '5000' : '50',
        offset: query.get('offset') ?? '0',
        totalCount: 'true',
      })
      for (const field of compact ? COMPACT_FIELDS : FULL_FIELDS) asked.append('fields', field)
      return `/conversations/?${asked}`
    },
  )
  return targets
}

const COMPACT_FIELDS = ['conversationId', 'cuid', 'birthday']
const FULL_FIELDS = [
  ...COMPACT_FIELDS,
  ...['userName', 'firstName', 'lastName', 'profilePic', 'lastPurchaseAtMs', 'lastUserMessageAtMs', 'lastAppOpenAtMs'],
]

const rateOf = (rounds: LoadResult[] | undefined): number =>
  median((rounds ?? []).map(({ requests, seconds }) => requests / seconds))

function printPages(title: string, of: Map<Target, Round[]>, ceiling: Target): void {
  const best = rateOf(of.get(ceiling))
  printTable([
    [title, 'pages/s', 'of the ceiling', 'a CPU second', 'p50 ms', 'p99 ms', 'MiB/s'],
    ...[...of].map(([{ name }, rounds]) => [
      name,
      formatCount(rateOf(rounds)),
      formatRatio(rateOf(rounds) / best),
      formatCount(median(rounds.map(({ requests, cpuSeconds }) => requests / cpuSeconds))),
      median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(2),
      median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(2),
      (median(rounds.map(({ bytes, seconds }) => bytes / seconds)) / 2 ** 20).toFixed(1),
    ]),
  ])
}

function judgePages(conversations: number, cases: Case[], targets: Target[]): void {
  const rate = (scenario: string, target: Target, size = conversations): number => {
    const found = cases.find((each) => each.scenario.name === scenario && each.conversations === size)
    return rateOf(found?.rounds.get(target))
  }
  const [ceiling, ...others] = targets as [Target, ...Target[]]
  const ours = others.filter(({ isPeer }) => !isPeer)
  const peers = others.filter(({ isPeer }) => isPeer)
  const size = conversations.toLocaleString('en')
  for (const target of ours) {
    const on = `${target.name}, ${size}`
    for (const [scenario, least] of [
      ['full 50', 0.6],
      ['full 200', 0.6],
      ['compact 5,000', 0.8],
    ] as const) {
      judge(`${scenario}, of the ceiling (${on})`, rate(scenario, target) / rate(scenario, ceiling), { least })
      if (conversations > SMALL) {
        const over = rate(scenario, target, SMALL) / rate(scenario, target)
        judge(`${scenario}, time over that of ${SMALL.toLocaleString('en')} (${on})`, over, { most: 1.2 })
      }
      const far = rate(`${scenario}, offset 20,000`, target)
      judge(`${scenario}, offset 20,000, time over offset 0 (${on})`, rate(scenario, target) / far, { most: 1.2 })
    }
    for (const [scenario, plain] of [
      ['full 50, one month', 'full 50'],
      ['full 50, VIPs', 'full 50'],
      ['full 50, VIPs, one month', 'full 50'],
      ['compact 5,000, VIPs', 'compact 5,000'],
      ['compact 5,000, VIPs, one month', 'compact 5,000'],
    ] as const) {
      judge(`${scenario}, time over no filter (${on})`, rate(plain, target) / rate(scenario, target), { most: 1.5 })
    }
    for (const peer of peers) {
      for (const [scenario, least] of [
        ['full 50', 50],
        ['full 50, offset 20,000', 300],
      ] as const) {
        judge(`${scenario}, times ${peer.name} (${on})`, rate(scenario, target) / rate(scenario, peer), { least })
      }
    }
  }
}

/** What was not measured is not judged. */
function judge(claim: string, value: number, { least, most }: { least?: number; most?: number }, unit = ''): void {
  if (Number.isNaN(value)) return
  const met = least === undefined ? value <= most! : value >= least
  const text = value < 10 ? value.toFixed(2) : value.toFixed(0)
  goals.push([claim, `${least === undefined ? '≤' : '≥'} ${least ?? most}${unit}`, text + unit, met ? 'met' : 'missed'])
}

// Pages while the channel changes.

/** Rows a second, how many of them one transaction changes, and the least share of the idle rate. */
const CHANGE_RATES: { title: string; rows: number; together: number; least?: number }[] = [
  { title: 'nothing changes', rows: 0, together: 1 },
  { title: '10 rows a second, one at a time', rows: 10, together: 1, least: 0.9 },
  { title: '100 rows a second, ten at a time', rows: 100, together: 10, least: 0.7 },
  { title: '100 rows a second, one at a time', rows: 100, together: 1, least: 0.7 },
]

async function measureChanges(load: Child, service: Service): Promise<void> {
  const { name } = service
  const target = serviceTarget(service)
  const [scenario] = SCENARIOS as [Scenario]
  await ask(load, target, scenario, 0, WARM_UP_MS)
  const results = CHANGE_RATES.map((): (Round & { rows: number })[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { rows, together }] of CHANGE_RATES.entries()) {
      const changes = startChanging(service, rows, together)
      const result = await ask(load, target, scenario, 0, CHANGES_ROUND_MS)
      results[index]!.push({ ...result, rows: (await changes.stop()) / result.seconds })
    }
  }
  const [alone, cpu] = [startChanging(service, 100, 1), cpuSeconds(service.writer.pid)]
  await wait(CHANGES_ROUND_MS)
  const rowsAlone = await alone.stop()
  const idle = rateOf(results[0])
  const where = service.writer.pid === service.pid ? 'by the service itself' : 'by another process'
  printTable([
    [`${name}: ${scenario.name} while rows change ${where}`, 'pages/s', 'of idle', 'p50 ms', 'p99 ms', 'rows/s'],
    ...CHANGE_RATES.map(({ title }, index) => [
      title,
      formatCount(rateOf(results[index])),
      formatRatio(rateOf(results[index]) / idle),
      ...(['p50Ms', 'p99Ms'] as const).map((field) => median(results[index]!.map((round) => round[field])).toFixed(2)),
      median(results[index]!.map(({ rows }) => rows)).toFixed(0),
    ]),
  ])
  const msEach = ((cpuSeconds(service.writer.pid) - cpu) / rowsAlone) * 1000
  print(
    `To write a row takes ${msEach.toFixed(1)} ms of CPU of the process that writes it, one at a time and with no pages asked for.\n`,
  )
  for (const [index, { title, least }] of CHANGE_RATES.entries()) {
    if (least !== undefined) judge(`${title}, of idle (Greenroom, ${name})`, rateOf(results[index]) / idle, { least })
  }
}

/** Moves conversations about in the list, at a steady pace. `stop` gives how many rows were changed. */
function startChanging(service: Service, rows: number, together: number): { stop(): Promise<number> } {
  let changed = 0
  let failure: unknown
  const changing = new Set<Promise<void>>()
  const timer =
    rows === 0
      ? undefined
      : setInterval(
          () => {
            const change = changeRows(service, together)
              .then(() => {
                changed += together
              })
              .catch((error: unknown) => {
                failure = error
              })
              .finally(() => changing.delete(change))
            changing.add(change)
          },
          (1000 * together) / rows,
        )
  return {
    async stop() {
      clearInterval(timer)
      const inTime = changed
      await Promise.all(changing)
      if (failure !== undefined) throw failure
      return inTime
    },
  }
}

/** Gives so many conversations of the small channel another lifetime value, as an import of so many lines. */
async function changeRows({ data, writer }: Service, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, () => {
    const number = ((changedRows++ * 7919) % SMALL) + 1
    const conversationId = `t_${createHash('md5').update(String(number)).digest('hex')}`
    return JSON.stringify({
      conversationId,
      cuid: `cu_${100_000_000 + number}`,
      lifetimeValue: ((changedRows * 104_729) % LIFETIME_VALUES) / 7,
    })
  })
  const answer = await send(
    writer,
    `/operator/organizations/${data.organizationId}/channels/${data.channelIds[0]}/conversations`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    },
  )
  expectStatus(answer, 200)
}

// The first page of a channel, and what one changed row costs.

/** What the first page of a channel must read, read by our own driver: the conversations in list order, and their number. */
async function runFirstPageSql(database: Database, { organizationId }: Data, channelId: string): Promise<void> {
  const key = { organizationId, channelId }
  await readInSnapshot(database, async (tx) => {
    await readListRows(tx, key, undefined, SMALL + 1)
    await countConversations(tx, key, SMALL + 1)
  })
}

function measureFirstPages(service: Service): Promise<void> {
  const { data, embeddedSqlMs } = service
  if (service.name === 'embedded') return measureFirst(service, async (channelId) => embeddedSqlMs.get(channelId)!)
  return withContext(service.env, ({ database }) =>
    measureFirst(service, (channelId) => timeOf(() => runFirstPageSql(database, data, channelId))),
  )
}

async function measureFirst(service: Service, timeSql: (channelId: string) => Promise<number>): Promise<void> {
  const { name, data } = service
  // The process has read a channel before, only not these.
  await getPage(service, pathOf(data, 'scope=all'))
  const times: number[] = []
  const sqlTimes: number[] = []
  const bytesOfAll: number[] = []
  const bytes: number[] = []
  for (const channelId of data.coldChannelIds) {
    const before = await memoryOf(service)
    const read = (query: string): Promise<RawAnswer> =>
      getPage(service, pathOf({ ...data, channelIds: [channelId] }, query))
    sqlTimes.push(await timeSql(channelId))
    times.push(await timeOf(() => read('scope=all')))
    await read('scope=all&compact=true')
    bytesOfAll.push((await memoryOf(service)) - before)
    await read('scope=vip')
    await read('scope=vip&compact=true')
    bytes.push((await memoryOf(service)) - before)
  }
  const [first, sql] = [median(times), median(sqlTimes)]
  const [ofAll, ofBoth] = [median(bytesOfAll) / 2 ** 20, median(bytes) / 2 ** 20]
  printTable([
    [`${name}: channels of ${SMALL.toLocaleString('en')}, medians of ${COLD_CHANNELS}`, ''],
    ['its first page', `${first.toFixed(0)} ms`],
    ['the SQL that this must run, rows parsed', `${sql.toFixed(0)} ms`],
    ['memory of a channel, read in scope all in both forms', `${ofAll.toFixed(1)} MiB`],
    ['memory of a channel, read in scope vip as well', `${ofBoth.toFixed(1)} MiB`],
  ])
  judge(`first page over its SQL (Greenroom, ${name})`, first - sql, { most: 150 }, ' ms')
  judge(`memory of a channel, scope all (Greenroom, ${name})`, ofAll, { most: 16 }, ' MiB')
  judge(`memory of a channel, both scopes (Greenroom, ${name})`, ofBoth, { most: 16 }, ' MiB')
}

async function memoryOf(service: Service): Promise<number> {
  const text = (await send(service, '/metrics')).body.toString()
  return Number(/^greenroom_audience_memory_bytes (\S+)$/m.exec(text)?.[1])
}

async function measureChangedRow(service: Service): Promise<void> {
  const { name, data } = service
  const path = pathOf(data, 'scope=all')
  const [changed, unchanged]: [number[], number[]] = [[], []]
  await getPage(service, path)
  for (let pair = 0; pair < CHANGED_ROW_PAIRS; pair++) {
    await changeRows(service, 1)
    changed.push(await timeOf(() => getPage(service, path)))
    unchanged.push(await timeOf(() => getPage(service, path)))
  }
  printTable([
    [`${name}: full 50, one request at a time, medians of ${CHANGED_ROW_PAIRS}`, 'ms'],
    ['after one changed row', median(changed).toFixed(2)],
    ['after none', median(unchanged).toFixed(2)],
  ])
  judge(
    `page after one changed row over one after none (Greenroom, ${name})`,
    median(changed) - median(unchanged),
    { most: 1 },
    ' ms',
  )
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function getPage(service: Service, path: string): Promise<RawAnswer> {
  return expectStatus(await send(service, path, { headers: signedHeaders(service.data.key) }), 200)
}

await bench(main)
