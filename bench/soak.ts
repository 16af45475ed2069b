/**
 * `npm run bench:soak -- --minutes 10` runs the built service under a mixed load at 80 % of its capacity and reports
 * minute by minute whether it stays flat; it exits with 1 if it does not. `--engine PostgreSQL` or `--engine embedded`
 * chooses one engine. `--attacks` adds a tenth of the attacks of test/hostile.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import { channelTokenContext, setChannelToken } from '../src/channels/channels.store.js'
import { newId } from '../src/lib/ids.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import { attackUntil } from './attacks.js'
import {
  bench,
  describeMachine,
  type Engine,
  formatCount,
  median,
  newDatabase,
  OPERATOR_TOKEN,
  print,
  printTable,
  type RawAnswer,
  residentMib,
  type Server,
  send,
  signedHeaders,
  startServer,
  withContext,
} from './shared.js'
import { type Data, fill, pathOf } from './vip-users/service.js'

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, engine: { type: 'string' }, attacks: { type: 'boolean' } },
})
const MINUTES = Number(options.minutes)
const ENGINES = (['PostgreSQL', 'embedded'] as const).filter((engine) => engine === (options.engine ?? engine))
if (!(MINUTES >= 3) || ENGINES.length === 0)
  throw new Error('--minutes takes 3 or more, --engine PostgreSQL or embedded')

const CHANNEL_SIZES = [25_000, 25_000, 10_000, 5_000]
const POSTS = 1_000
const CONNECTIONS = 32
/** The first reads of each list take seconds. */
const WARM_UP_MS = 10_000
const CALIBRATION_MS = 10_000
const SHARE_OF_CAPACITY = 0.8
/** If more requests than this are open, the rate cannot be kept; requests that are due then count as errors. */
const UNDER_WAY_MAX = 2_000
const IMPORT_LINES = 20
const PUBLISHED_A_SECOND = 2
/** This is long enough for the approval to arrive in time, even if a response takes seconds. */
const PUBLISH_LEAD_MS = 15_000
const SAMPLE_MS = 5_000
const MIB = 2 ** 20
const PAGE_TOKEN = 'EAABenchToken'

/** Limits for the last third: a share of the first third, plus a margin for small numbers. */
const TOLERANCES = [
  { name: 'requests/s', field: 'rate', least: 0.95, slack: 0 },
  { name: 'p50 ms', field: 'p50Ms', most: 1.25, slack: 1 },
  { name: 'p99 ms', field: 'p99Ms', most: 1.5, slack: 5 },
  { name: 'RSS MiB', field: 'rssMib', most: 1.1, slack: 32 },
  { name: 'least heap MiB', field: 'heapMib', most: 1.1, slack: 16 },
  { name: 'descriptors', field: 'descriptors', most: 1, slack: 8 },
] as const

interface Subject {
  server: Server
  data: Data
  sandbox: Sandbox
  postIds: string[]
  etags: Map<string, string>
}

/** The requests of a period. */
interface Tally {
  latenciesMs: number[]
  errors: number
  /** The text of the first error. */
  error: string | undefined
  importedLines: number
}

interface Minute {
  rate: number
  p50Ms: number
  p99Ms: number
  errors: number
  importedLines: number
  published: number
  rssMib: number
  heapMib: number
  descriptors: number
  /** The share of processor time that a virtual machine's host kept; NaN if the system does not report it. */
  stolenShare: number
}

/** The number of requests so far. */
let requests = 0
let scheduled = 0

await bench(async () => {
  for (const engine of ENGINES) if (!(await soak(engine))) process.exitCode = 1
})

async function soak(engine: Engine): Promise<boolean> {
  const pages = CHANNEL_SIZES.map((_, index) => ({
    id: String(1_000_000 + index),
    platform: 'facebook' as const,
    name: 'Bench',
    accessToken: PAGE_TOKEN,
  }))
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages } })
  try {
    const env = { ...(await newDatabase(engine, 'soak')), OPERATOR_TOKEN, GRAPH_BASE_URL: sandbox.url }
    const { data, postIds } = await prepare(env)
    const server = await startServer('programs/service.ts', { ...env, BENCH_PUBLISHER: 'on' })
    const subject = { server, data, sandbox, postIds, etags: new Map<string, string>() }
    const stop = new AbortController()
    let tally = newTally()
    const background = [
      repeat(stop.signal, 1_000, () => importLines(subject, tally)),
      repeat(stop.signal, 1_000 / PUBLISHED_A_SECOND, () => schedulePost(subject, tally)),
    ]
    // They start before the capacity is measured, because they use part of it.
    if (options.attacks) background.push(attackUntil(stop.signal, server, data.key))
    const capacity = await measureCapacity(subject)
    const rate = capacity * SHARE_OF_CAPACITY
    print(`
${engine}, a mixed load at ${SHARE_OF_CAPACITY} of ${formatCount(capacity)} requests a second for ${MINUTES} minutes${options.attacks ? ', beside a tenth of the attacks' : ''}.
${describeMachine([data.database])} Load, platform, service and PostgreSQL (fsync on) share this machine.
`)
    const minutes: Minute[] = []
    for (let minute = 0; minute < MINUTES; minute++) {
      tally = newTally()
      minutes.push(await runMinute(subject, rate, tally))
      if (tally.error !== undefined) print(`minute ${minute + 1}: ${tally.error.slice(0, 500)}\n`)
    }
    stop.abort()
    await Promise.all(background)
    printMinutes(minutes)
    return judge(minutes)
  } finally {
    await sandbox.close()
  }
}

async function prepare(env: Record<string, string>): Promise<{ data: Data; postIds: string[] }> {
  return withContext(env, async (context) => {
    const data = await fill(context, { channelSizes: CHANNEL_SIZES, coldChannels: 0, writer: false })
    const { database, sealer } = context
    const { organizationId, channelIds } = data
    for (const channelId of channelIds) {
      const sealed = sealer.seal(PAGE_TOKEN, channelTokenContext(organizationId, channelId))
      await setChannelToken(database, organizationId, channelId, sealed)
    }
    const postIds = Array.from({ length: POSTS }, () => newId('post'))
    const createdAt = new Date()
    await database.transaction(async (tx) => {
      for (const [index, scheduledPostId] of postIds.entries()) {
        const channels = [{ channelId: channelIds[index % channelIds.length]!, caption: 'Winter lights are up' }]
        await insertScheduledPost(tx, organizationId, { scheduledPostId, status: 'DRAFT', channels, createdAt })
      }
    })
    await database.query('analyze')
    return { data, postIds }
  })
}

function newTally(): Tally {
  return { latenciesMs: [], errors: 0, error: undefined, importedLines: 0 }
}

// The load. Of 100 requests, 60 are pages, 25 are pages that the caller already has, 8 are PATCHes, 3 are lists, 2 create
// and 2 mark.

/** Sends the next request of the mix and checks its response. */
function request(subject: Subject): Promise<void> {
  const number = requests++
  const kind = (number * 37) % 100
  // This is independent of the kind.
  const turn = number + Math.floor(number / 100)
  const { data, postIds, etags } = subject
  const channel = data.channelIds[turn % data.channelIds.length]!
  if (kind < 85) {
    const form = turn % 5 === 0 ? 'compact=true&limit=1000' : `limit=50&offset=${(turn % 40) * 50}`
    const path = pathOf(data, `scope=${turn % 3 === 0 ? 'all' : 'vip'}&${form}`, channel)
    const etag = kind < 60 ? undefined : etags.get(path)
    return expectAny(signed(subject, 'GET', path, undefined, etag === undefined ? {} : { 'if-none-match': etag }), [
      200,
      ...(etag === undefined ? [] : [304]),
    ]).then(({ headers }) => void etags.set(path, String(headers.etag)))
  }
  if (kind < 93) {
    const path = `/v1/scheduled-posts/${postIds[turn % POSTS]}`
    return expectAny(signed(subject, 'PATCH', path, { notes: `Note ${number}` }), [200]).then(() => {})
  }
  if (kind < 96) return expectAny(signed(subject, 'GET', '/v1/scheduled-posts?limit=20'), [200]).then(() => {})
  if (kind < 98) {
    const body = { notes: `Idea ${number}`, channels: { [channel]: { caption: 'Spring is near' } } }
    return expectAny(signed(subject, 'POST', '/v1/scheduled-posts', body), [201]).then(() => {})
  }
  const { organizationId, workspaceId } = data
  const path = `/api/organizations/${organizationId}/workspaces/${workspaceId}/channels/${channel}/vips/${conversationIdOf(turn % 5_000)}`
  return expectAny(operator(subject, turn % 2 === 0 ? 'PUT' : 'DELETE', path), [200]).then(() => {})
}

/** The ids with which vip-users/service.ts fills the channels. */
function conversationIdOf(number: number): string {
  const digest = createHash('md5').update(String(number + 1))
  return `t_${digest.digest('hex')}`
}

async function importLines({ server, data }: Subject, tally: Tally): Promise<void> {
  const lines = Array.from({ length: IMPORT_LINES }, () => {
    const number = Math.floor(Math.random() * CHANNEL_SIZES.at(-1)!)
    const conversationId = conversationIdOf(number)
    return JSON.stringify({ conversationId, cuid: `cu_${100_000_001 + number}`, lifetimeValue: Math.random() * 10_000 })
  })
  const path = `/api/organizations/${data.organizationId}/channels/${data.channelIds.at(-1)}/conversations`
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/x-ndjson' }
  await counted(tally, expectAny(send(server, path, { method: 'POST', headers, body: lines.join('\n') }), [200]))
  tally.importedLines += IMPORT_LINES
}

/** Creates a post that the publisher publishes soon, and approves the version that was read. */
async function schedulePost(subject: Subject, tally: Tally): Promise<void> {
  const { organizationId, channelIds } = subject.data
  const number = scheduled++
  const body = {
    status: 'WAITING_FOR_APPROVAL',
    media: 'https://media.example/shirt.jpg',
    mediaType: 'IMAGE',
    scheduledFor: new Date(Date.now() + PUBLISH_LEAD_MS).toISOString(),
    channels: { [channelIds[number % channelIds.length]!]: { caption: `Post ${number}` } },
  }
  const approve = async (): Promise<RawAnswer> => {
    const created = await expectAny(signed(subject, 'POST', '/v1/scheduled-posts', body), [201])
    const { id } = JSON.parse(created.body.toString()) as { id: string }
    const path = `/api/organizations/${organizationId}/scheduled-posts/${id}`
    const { headers } = await expectAny(operator(subject, 'GET', path), [200])
    return expectAny(operator(subject, 'POST', `${path}/approve`, { 'if-match': String(headers.etag) }), [200])
  }
  await counted(tally, approve())
}

function signed(
  { server, data }: Subject,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const typed: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { ...signedHeaders(data.key), ...typed, ...headers }
  return send(server, path, { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body) })
}

function operator(
  { server }: Subject,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  return send(server, path, { method, headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...headers } })
}

async function expectAny(sent: Promise<RawAnswer>, statuses: number[]): Promise<RawAnswer> {
  const answer = await sent
  if (statuses.includes(answer.status)) return answer
  throw new Error(`a response had the status ${answer.status}, not ${statuses.join(' or ')}: ${answer.body}`)
}

async function counted(tally: Tally, work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    tally.errors += 1
    tally.error ??= String(error)
  }
}

/** Repeats the work one at a time, with this many milliseconds between starts. */
async function repeat(signal: AbortSignal, ms: number, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    await work()
    await wait(Math.max(0, startedAt + ms - performance.now()))
  }
}

/** Requests per second if each connection sends its next request at once. */
async function measureCapacity(subject: Subject): Promise<number> {
  const startedAt = performance.now()
  const countsFrom = startedAt + WARM_UP_MS
  const endAt = countsFrom + CALIBRATION_MS
  let count = 0
  const ask = async (): Promise<void> => {
    while (performance.now() < endAt) {
      await request(subject)
      if (performance.now() > countsFrom) count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  return count / ((endAt - countsFrom) / 1_000)
}

/** Sends at the rate, however long the responses take; a latency counts from when its request was due. */
async function runMinute(subject: Subject, rate: number, tally: Tally): Promise<Minute> {
  const publishedBefore = subject.sandbox.published.length
  const samples: Pick<Minute, 'rssMib' | 'heapMib' | 'descriptors'>[] = []
  const sampler = new AbortController()
  const sampling = repeat(sampler.signal, SAMPLE_MS, async () => void samples.push(await sample(subject.server)))
  const ticksBefore = processorTicks()
  const startedAt = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let due = 0; performance.now() < startedAt + 60_000; ) {
    const elapsedMs = performance.now() - startedAt
    for (; due < (elapsedMs * rate) / 1_000; due++) {
      const dueAt = startedAt + (due / rate) * 1_000
      if (underWay.size >= UNDER_WAY_MAX) {
        tally.errors += 1
        tally.error ??= 'the load exceeds what the service answers'
        continue
      }
      const asked: Promise<void> = counted(
        tally,
        request(subject).then(() => void tally.latenciesMs.push(performance.now() - dueAt)),
      ).finally(() => underWay.delete(asked))
      underWay.add(asked)
    }
    await wait(1)
  }
  sampler.abort()
  await Promise.all([...underWay, sampling])
  const ticks = processorTicks()
  const latencies = Float64Array.from(tally.latenciesMs).sort()
  const quantile = (share: number): number => latencies[Math.ceil(share * latencies.length) - 1] ?? Number.NaN
  return {
    rate: latencies.length / 60,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    errors: tally.errors,
    importedLines: tally.importedLines,
    published: subject.sandbox.published.length - publishedBefore,
    rssMib: Math.max(...samples.map(({ rssMib }) => rssMib)),
    heapMib: Math.min(...samples.map(({ heapMib }) => heapMib)),
    descriptors: Math.max(...samples.map(({ descriptors }) => descriptors)),
    stolenShare: (ticks.stolen - ticksBefore.stolen) / (ticks.all - ticksBefore.all),
  }
}

function processorTicks(): { all: number; stolen: number } {
  try {
    // user, nice, system, idle, iowait, irq, softirq, steal; user already includes guests.
    const ticks = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))![1]!.split(' ').slice(0, 8).map(Number)
    return { all: ticks.reduce((sum, count) => sum + count, 0), stolen: ticks[7]! }
  } catch {
    return { all: Number.NaN, stolen: Number.NaN }
  }
}

/** Reads the size of the process from the system and from the service; NaN if they do not report it. */
async function sample(server: Server): Promise<Pick<Minute, 'rssMib' | 'heapMib' | 'descriptors'>> {
  const metrics = (await send(server, '/metrics')).body.toString()
  const heap = /^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]
  const size = { rssMib: residentMib(server.pid), heapMib: Number(heap) / MIB }
  try {
    return { ...size, descriptors: readdirSync(`/proc/${server.pid}/fd`).length }
  } catch {
    return { ...size, descriptors: Number.NaN }
  }
}

function printMinutes(minutes: Minute[]): void {
  const head = [
    'minute',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'errors',
    'imported',
    'published',
    'RSS MiB',
    'least heap MiB',
    'descriptors',
    'stolen %',
  ]
  printTable([
    head,
    ...minutes.map((minute, index) => [
      String(index + 1),
      formatCount(minute.rate),
      minute.p50Ms.toFixed(1),
      minute.p99Ms.toFixed(1),
      String(minute.errors),
      String(minute.importedLines),
      String(minute.published),
      minute.rssMib.toFixed(0),
      minute.heapMib.toFixed(0),
      String(minute.descriptors),
      (100 * minute.stolenShare).toFixed(1),
    ]),
  ])
}

/**
 * Prints the last third beside the first, and returns whether it is within the tolerances and nothing failed. A third
 * counts as its median minute, so that one minute of other work on the machine is not a trend.
 */
function judge(minutes: Minute[]): boolean {
  const size = Math.floor(minutes.length / 3)
  let isFlat = minutes.every(({ errors, published }) => errors === 0 && published > 0)
  const table = [['', 'first third', 'last third', 'tolerated', '']]
  for (const { name, field, slack, ...bound } of TOLERANCES) {
    const of = (rows: Minute[]): number => median(rows.map((row) => row[field]))
    const [first, last] = [of(minutes.slice(0, size)), of(minutes.slice(-size))]
    const isLeast = 'least' in bound
    const tolerated = isLeast ? first * bound.least : first * bound.most + slack
    // A number that the system does not report is not judged.
    const holds = Number.isNaN(last) || (isLeast ? last >= tolerated : last <= tolerated)
    isFlat &&= holds
    table.push([
      name,
      first.toFixed(1),
      last.toFixed(1),
      `${isLeast ? '≥' : '≤'} ${tolerated.toFixed(1)}`,
      holds ? '' : 'exceeded',
    ])
  }
  printTable(table)
  print(isFlat ? 'Flat, without errors.\n' : 'Not flat, or with errors.\n')
  return isFlat
}
