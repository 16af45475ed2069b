/**
 * `npm run bench:compare -- <tree> <tree> …` measures what a code change gains or costs. It runs the built service of
 * each source tree (`npm run build` in another work tree) side by side, sends the same requests to each in turn, and
 * prints the cost of a request relative to the first tree. It uses only HTTP, so a tree may be old. It runs many short
 * rounds, so that other work on the machine affects all trees alike. With Linux `perf` installed, on a machine that
 * supports it, it also prints instructions, which other programs do not affect.
 *
 * `<tree>?NAME=VALUE&…` starts a tree's service with its own settings. `--kind` chooses a request (KINDS) and can be
 * repeated, and `--query scope=all` requests another page. `--client` chooses the headers (CLIENTS) and can be repeated.
 * `--connections` is the number of connections, and `--engine PostgreSQL` or `--engine embedded` limits the engine.
 * `--pages` or `--changes` is the number of requests per start, `--ms` the length of a round, `--starts` the number of
 * starts, and `--posts` the number of posts that are changed in turn.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Child } from '../test/child.js'
import { freePort } from '../test/free-port.js'
import { CLIENTS, conversationLines, KINDS, type Kind } from './compare-kinds.js'
import type { LoadOrder } from './programs/load.js'
import {
  askLoad,
  bench,
  type Engine,
  type Env,
  expectStatus,
  formatCount,
  type Key,
  median,
  newDatabase,
  OPERATOR_TOKEN,
  printTable,
  SERVER_NODE_OPTIONS,
  type Server,
  send,
  signedHeaders,
  start,
} from './shared.js'

const { values: options, positionals: trees } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string', multiple: true },
    query: { type: 'string' },
    client: { type: 'string', multiple: true, default: ['few'] },
    connections: { type: 'string', default: '32' },
    engine: { type: 'string' },
    posts: { type: 'string', default: '1000' },
    pages: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '10000' },
    ms: { type: 'string', default: '200' },
    // Each process compiles its code and lays out its memory once, which by itself changes the results by a few per cent.
    starts: { type: 'string', default: '3' },
  },
})

/** The share of the measured requests that is sent before as a warm-up. */
const WARM_UP = 1
const ENGINES: readonly Engine[] = ['PostgreSQL', 'embedded']

interface Candidate {
  server: Server
  child: ChildProcess
  /** Undefined for the embedded engine. */
  databaseUrl: string | undefined
  key: Key
  page: string
  channelId: string
}

interface Asked {
  name: string
  kind: Kind
  client: string
}

interface Round {
  requests: number
  pagesPerSecond: number
  /** The service's processor time per request. */
  cpuMicros: number
  /** PostgreSQL's processor time per request; 0 on the embedded engine. */
  databaseMicros: number
}

/** One start of a tree's service. */
interface Run {
  rounds: Round[]
  /** Instructions per page; undefined without perf. */
  instructions: number | undefined
}

async function main(): Promise<void> {
  if (trees.length < 2) throw new Error('Name two or more source trees; the others are compared with the first.')
  const names = options.kind ?? (options.query === undefined ? ['full 50'] : [])
  const kinds: [string, Kind][] = names.map((name) => [name, lookUp(KINDS, name)])
  if (options.query !== undefined) kinds.push([options.query, { query: options.query }])
  const asked = kinds.flatMap(([name, kind]) => options.client.map((client): Asked => ({ name, kind, client })))
  const load = start('programs/load.ts')
  for (const engine of ENGINES.filter((name) => (options.engine ?? name) === name)) {
    const runs = asked.map(() => trees.map((): Run[] => []))
    for (let started = 0; started < Number(options.starts); started++) {
      const candidates: Candidate[] = []
      try {
        for (const [index, tree] of trees.entries()) {
          candidates.push(await startCandidate(tree, engine, `compare_${started}_${index}`))
        }
        for (const [index, one] of asked.entries()) {
          for (const [tree, run] of (await runAll(load, candidates, one)).entries()) runs[index]![tree]!.push(run)
          if (started + 1 === Number(options.starts)) printRuns(`${engine}, ${one.name}, ${one.client}`, runs[index]!)
        }
      } finally {
        for (const { child } of candidates) child.kill('SIGKILL')
      }
    }
  }
}

function lookUp<Value>(all: Record<string, Value>, name: string): Value {
  const found = all[name]
  if (found === undefined) throw new Error(`There is no ${name}: choose one of ${Object.keys(all).join('; ')}.`)
  return found
}

async function runAll(load: Child, candidates: Candidate[], { kind, client }: Asked): Promise<Run[]> {
  const orders: LoadOrder[] = []
  for (const candidate of candidates) orders.push(await orderFor(candidate, kind, lookUp(CLIENTS, client)))
  const wanted = Number(kind.patch === undefined ? options.pages : options.changes)
  // The trees take turns, because a process that waits for the others' warm-up discards compiled code. They get equally
  // many requests, because code that is not yet compiled takes several times as long.
  const warm = candidates.map(() => 0)
  while (warm.some((asked) => asked < WARM_UP * wanted)) {
    for (const [index, candidate] of candidates.entries()) {
      warm[index]! += (await ask(load, candidate, orders[index]!)).requests
    }
  }
  const backends = await Promise.all(candidates.map(({ databaseUrl }) => databaseUrl && pidsOf(databaseUrl)))
  const counters = candidates.map(({ server }) => countInstructions(server.pid))
  const rounds = candidates.map((): Round[] => [])
  const pages = (of: Round[]): number => of.reduce((sum, { requests }) => sum + requests, 0)
  // They get equally many requests, so that one-time work of a process is spread over equally many pages.
  for (let round = 0; rounds.some((of) => pages(of) < wanted); round++) {
    // Each tree comes first in turn, so that none always follows the same one.
    for (let place = 0; place < candidates.length; place++) {
      const index = (round + place) % candidates.length
      rounds[index]!.push(await ask(load, candidates[index]!, orders[index]!, backends[index] || []))
    }
  }
  const counted = await Promise.all(counters.map((stop) => stop()))
  return rounds.map((of, index) => {
    const instructions = counted[index]
    return { rounds: of, instructions: instructions && instructions / pages(of) }
  })
}

async function ask(load: Child, { server }: Candidate, order: LoadOrder, backends: number[] = []): Promise<Round> {
  const nanosOfAll = (): number => backends.reduce((sum, pid) => sum + cpuNanos(pid), 0)
  const [before, databaseBefore] = [cpuNanos(server.pid), nanosOfAll()]
  const { requests, seconds } = await askLoad(load, order)
  return {
    requests,
    pagesPerSecond: requests / seconds,
    cpuMicros: (cpuNanos(server.pid) - before) / requests / 1_000,
    databaseMicros: (nanosOfAll() - databaseBefore) / requests / 1_000,
  }
}

/** Returns the processes of PostgreSQL that serve the service's connections. */
async function pidsOf(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return rows.map(({ pid }) => pid)
  } finally {
    await client.end()
  }
}

/**
 * Returns the processor time of all threads. Its resolution is finer than hundredths of a second, which are too coarse
 * for short rounds. Linux only.
 */
function cpuNanos(pid: number): number {
  const nanosOf = (task: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + nanosOf(task), 0)
  } catch {
    // A connection has ended.
    return 0
  }
}

/** Counts from now until stopped: the service works only in its own rounds. */
function countInstructions(pid: number): () => Promise<number | undefined> {
  const perf = spawn('perf', ['stat', '-x', ',', '-e', 'instructions', '-p', String(pid)])
  const ended = Promise.race([once(perf, 'close'), once(perf, 'error')]).catch(() => undefined)
  let output = ''
  perf.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return async () => {
    perf.kill('SIGINT')
    await ended
    return Number.parseInt(output, 10) || undefined
  }
}

function printRuns(title: string, runs: Run[][]): void {
  const base = runs[0]!
  const quartiles = (ratios: number[]): string => {
    // A short round of a slow request may have no result.
    const sorted = ratios.filter((ratio) => Number.isFinite(ratio)).toSorted((a, b) => a - b)
    const at = (share: number): string => sorted[Math.round(share * (sorted.length - 1))]!.toFixed(3)
    return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`
  }
  type Field = 'pagesPerSecond' | 'cpuMicros' | 'databaseMicros'
  const ratios = (of: Run[], field: Field): string =>
    quartiles(
      of.flatMap(({ rounds }, run) =>
        rounds.map((round, index) => round[field] / (base[run]!.rounds[index]?.[field] ?? Number.NaN)),
      ),
    )
  const all = (of: Run[], field: Field): number =>
    median(of.flatMap(({ rounds }) => rounds.map((round) => round[field])))
  const counts = (of: Run[]): string[] =>
    of.some(({ instructions }) => instructions === undefined)
      ? ['', '']
      : [
          formatCount(median(of.map(({ instructions }) => instructions!))),
          quartiles(of.map(({ instructions }, run) => instructions! / base[run]!.instructions!)),
        ]
  printTable([
    [title, 'a second', '', 'CPU µs per request', '', 'PostgreSQL µs', '', 'instructions', ''],
    ...runs.map((of, index) => [
      trees[index]!,
      formatCount(all(of, 'pagesPerSecond')),
      ratios(of, 'pagesPerSecond'),
      all(of, 'cpuMicros').toFixed(1),
      ratios(of, 'cpuMicros'),
      ...(all(of, 'databaseMicros') > 0
        ? [all(of, 'databaseMicros').toFixed(1), ratios(of, 'databaseMicros')]
        : ['', '']),
      ...counts(of),
    ]),
  ])
}

/** Starts a tree's service as `npm start` does, but without the publisher and with its own channel to read. */
async function startCandidate(tree: string, engine: Engine, name: string): Promise<Candidate> {
  const [folder = '', settings] = tree.split('?')
  const database = await newDatabase(engine, name)
  if (engine === 'PostgreSQL') await leaveSyncs(database.DATABASE_URL!)
  const port = await freePort()
  const own = Object.fromEntries(new URLSearchParams(settings))
  const program = resolve(folder, 'dist/main.js')
  const child = await startServe(program, {
    ...database,
    OPERATOR_TOKEN,
    HOST: '127.0.0.1',
    PORT: String(port),
    ...own,
  })
  const server = { port, pid: child.pid! }
  const { id: organizationId } = await create<{ id: string }>(server, '/organizations', { name: 'Bench' })
  const at = `/organizations/${organizationId}`
  const key = await create<Key>(server, `${at}/keys`)
  const { id: workspaceId } = await create<{ id: string }>(server, `${at}/workspaces`, { name: 'Bench', type: 'VIP' })
  const channel = { type: 'FB_PAGE', platformId: '1', name: 'Bench' }
  const { id: channelId } = await create<{ id: string }>(server, `${at}/channels`, channel)
  await call(server, 'PUT', `${at}/workspaces/${workspaceId}/channels/${channelId}`)
  const lines = conversationLines()
  const imported = await call(
    server,
    'POST',
    `${at}/channels/${channelId}/conversations`,
    lines,
    'application/x-ndjson',
  )
  const { rejected } = JSON.parse(imported.toString()) as { rejected: unknown[] }
  if (rejected.length > 0) throw new Error(`The import rejected lines: ${JSON.stringify(rejected[0])}`)
  const page = `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`
  return { server, child, databaseUrl: database.DATABASE_URL || undefined, key, page, channelId }
}

/**
 * Commits do not wait for the disk: that is not the service's time, and other programs on a shared machine use the disk
 * too.
 */
const leaveSyncs = (databaseUrl: string): Promise<void> =>
  runOn(databaseUrl, `alter database ${new URL(databaseUrl).pathname.slice(1)} set synchronous_commit = off`)

async function runOn(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function startServe(program: string, env: Env): Promise<ChildProcess> {
  const service = spawn(process.execPath, [...SERVER_NODE_OPTIONS.split(' '), program, 'serve', '--role', 'api'], {
    env: { ...process.env, ...env },
    // It writes its log as usual, and nothing reads it.
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => service.kill('SIGKILL'))
  for (;;) {
    if (service.exitCode !== null) throw new Error(`${program} ended`)
    const answered = await fetch(`http://127.0.0.1:${env.PORT}/healthz`).catch(() => undefined)
    await answered?.text()
    if (answered?.ok) return service
    await wait(50)
  }
}

async function orderFor(candidate: Candidate, kind: Kind, headers: Record<string, string>): Promise<LoadOrder> {
  const { server, key, page } = candidate
  const order: LoadOrder = {
    port: server.port,
    requests: [{ path: `${page}&${kind.query}` }],
    connections: Number(options.connections),
    ms: Number(options.ms),
    headers: { ...headers, ...kind.headers },
    key,
    status: 200,
  }
  if (kind.patch !== undefined) {
    const requests = await createPatches(candidate, kind.patch)
    // Without statistics, which arrive automatically within a minute, the planner chooses indexes by luck.
    if (candidate.databaseUrl !== undefined) await runOn(candidate.databaseUrl, 'analyze')
    return { ...order, method: 'PATCH', requests }
  }
  if (kind.notModified !== true) return order
  const given = await send(server, order.requests[0]!.path, { headers: { ...order.headers, ...signedHeaders(key) } })
  const etag = String(expectStatus(given, 200).headers.etag)
  return { ...order, headers: { ...order.headers, 'if-none-match': etag }, status: 304 }
}

/** Creates drafts, and returns the change of each. */
async function createPatches(
  { server, key, channelId }: Candidate,
  field: 'notes' | 'caption',
): Promise<LoadOrder['requests']> {
  const body = JSON.stringify({
    channels: { [channelId]: { caption: 'Winter lights are up' } },
    notes: 'A note',
    status: 'DRAFT',
  })
  const patch = field === 'notes' ? { notes: 'Note {n}' } : { channels: { [channelId]: { caption: 'Caption {n}' } } }
  const requests: LoadOrder['requests'] = []
  for (let n = 0; n < Number(options.posts); n++) {
    const headers = { ...signedHeaders(key), 'content-type': 'application/json' }
    const answer = await send(server, '/v1/scheduled-posts', { method: 'POST', headers, body })
    const { id } = JSON.parse(expectStatus(answer, 201).body.toString()) as { id: string }
    requests.push({ path: `/v1/scheduled-posts/${id}`, body: JSON.stringify(patch) })
  }
  return requests
}

async function create<Body>(server: Server, path: string, body?: object): Promise<Body> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  return JSON.parse((await call(server, 'POST', path, sent)).toString()) as Body
}

async function call(server: Server, method: string, path: string, body?: string, type = 'application/json') {
  const headers = {
    authorization: `Bearer ${OPERATOR_TOKEN}`,
    ...(body === undefined ? {} : { 'content-type': type }),
  }
  const answer = await send(server, `/api${path}`, { method, headers, body })
  return expectStatus(answer, answer.status === 201 ? 201 : 200).body
}

await bench(main)
