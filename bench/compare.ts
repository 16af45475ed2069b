/**
 * `npm run bench:compare -- <tree> <tree> …`: what a change of the code gains or costs. Runs the service of each source
 * tree (another work tree, or a copy with one thing taken out) side by side, asks each for the same page in turn, and prints
 * what a page costs against the first tree. It knows the trees by HTTP alone. Many short rounds, so that what else runs on
 * the machine meets all trees alike; with Linux `perf` installed it counts instructions too, which other programs do not
 * change at all. `--query`, `--header "name: value"` and `--engine` change what is asked; `--patch notes` or `--patch caption`
 * changes posts in turn, `--posts` of them, in place of pages; `--pages`, `--ms` (of a round) and `--starts` how often.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Child } from '../test/child.js'
import type { LoadOrder } from './programs/load.js'
import {
  askLoad,
  bench,
  type Engine,
  expectStatus,
  formatCount,
  type Key,
  median,
  newDatabase,
  OPERATOR_TOKEN,
  printTable,
  type Server,
  send,
  signedHeaders,
  start,
  startServer,
} from './shared.js'

const { values: options, positionals: trees } = parseArgs({
  allowPositionals: true,
  options: {
    query: { type: 'string', default: 'scope=all' },
    header: { type: 'string' },
    engine: { type: 'string' },
    patch: { type: 'string' },
    posts: { type: 'string', default: '1000' },
    pages: { type: 'string', default: '30000' },
    ms: { type: 'string', default: '200' },
    // A process is compiled and laid out in memory once: that alone moves it by a few per cent.
    starts: { type: 'string', default: '3' },
  },
})

/** A page comes from memory, whatever the size of its channel. */
const CONVERSATIONS = 2_000
const WARM_UP_PAGES = options.patch === undefined ? 20_000 : 3_000
const CONNECTIONS = 32
const ENGINES: readonly Engine[] = ['PostgreSQL', 'embedded']

interface Candidate {
  server: Server
  order: LoadOrder
}

interface Round {
  requests: number
  pagesPerSecond: number
  cpuMicros: number
}

/** One start of a tree's service. */
interface Run {
  rounds: Round[]
  /** For a page; undefined without perf. */
  instructions: number | undefined
}

async function main(): Promise<void> {
  if (trees.length < 2) throw new Error('Name two source trees or more, the one to compare with first.')
  const load = start('programs/load.ts')
  for (const engine of ENGINES.filter((name) => (options.engine ?? name) === name)) {
    const runs = trees.map((): Run[] => [])
    for (let started = 0; started < Number(options.starts); started++) {
      for (const [index, run] of (await runAll(load, engine, started)).entries()) runs[index]!.push(run)
    }
    printRuns(engine, runs)
  }
}

async function runAll(load: Child, engine: Engine, started: number): Promise<Run[]> {
  const candidates: Candidate[] = []
  for (const [index, tree] of trees.entries()) {
    candidates.push(await startCandidate(tree, engine, `compare_${started}_${index}`))
  }
  // In turn: a process that waits for the others' warm-up gives back what it has compiled.
  for (let asked = 0; asked < trees.length * WARM_UP_PAGES; ) {
    for (const candidate of candidates) asked += (await ask(load, candidate, Number(options.ms))).requests
  }
  const counters = candidates.map(({ server }) => countInstructions(server.pid))
  const rounds = trees.map((): Round[] => [])
  const pages = (of: Round[]): number => of.reduce((sum, { requests }) => sum + requests, 0)
  // As many of each: what a process does once is then shared by as many pages.
  for (let round = 0; rounds.some((of) => pages(of) < Number(options.pages)); round++) {
    // Each tree comes first in turn, so that none always follows the same one.
    for (let place = 0; place < trees.length; place++) {
      const index = (round + place) % trees.length
      rounds[index]!.push(await ask(load, candidates[index]!, Number(options.ms)))
    }
  }
  const counted = await Promise.all(counters.map((stop) => stop()))
  for (const { server } of candidates) process.kill(server.pid)
  return rounds.map((of, index) => {
    const instructions = counted[index]
    return { rounds: of, instructions: instructions && instructions / pages(of) }
  })
}

async function ask(load: Child, { server, order }: Candidate, ms: number): Promise<Round> {
  const before = cpuNanos(server.pid)
  const { requests, seconds } = await askLoad(load, { ...order, ms })
  return { requests, pagesPerSecond: requests / seconds, cpuMicros: (cpuNanos(server.pid) - before) / requests / 1_000 }
}

/** Processor time of all threads, finer than the hundredths of a second that short rounds are too short for. Linux. */
function cpuNanos(pid: number): number {
  const nanosOf = (task: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + nanosOf(task), 0)
}

/** Counts from now until stopped: a service has nothing to do but in its own rounds. */
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

function printRuns(engine: Engine, runs: Run[][]): void {
  const base = runs[0]!
  const quartiles = (ratios: number[]): string => {
    const sorted = ratios.toSorted((a, b) => a - b)
    const at = (share: number): string => sorted[Math.round(share * (sorted.length - 1))]!.toFixed(3)
    return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`
  }
  const ratios = (of: Run[], field: 'pagesPerSecond' | 'cpuMicros'): string =>
    quartiles(
      of.flatMap(({ rounds }, run) => rounds.map((round, index) => round[field] / base[run]!.rounds[index]![field])),
    )
  const all = (of: Run[], field: 'pagesPerSecond' | 'cpuMicros'): number =>
    median(of.flatMap(({ rounds }) => rounds.map((round) => round[field])))
  const counts = (of: Run[]): string[] =>
    of.some(({ instructions }) => instructions === undefined)
      ? ['', '']
      : [
          formatCount(median(of.map(({ instructions }) => instructions!))),
          quartiles(of.map(({ instructions }, run) => instructions! / base[run]!.instructions!)),
        ]
  printTable([
    [`${engine}, ${options.patch ?? options.query}`, 'pages/s', '', 'CPU µs a page', '', 'instructions a page', ''],
    ...runs.map((of, index) => [
      trees[index]!,
      formatCount(all(of, 'pagesPerSecond')),
      ratios(of, 'pagesPerSecond'),
      all(of, 'cpuMicros').toFixed(1),
      ratios(of, 'cpuMicros'),
      ...counts(of),
    ]),
  ])
}

/** Starts the service of a tree, with a channel of its own to read. */
async function startCandidate(tree: string, engine: Engine, name: string): Promise<Candidate> {
  const program = pathToFileURL(resolve(tree, 'bench/programs/service.ts')).href
  const server = await startServer(program, { ...(await newDatabase(engine, name)), OPERATOR_TOKEN })
  const { id: organizationId } = await create<{ id: string }>(server, '/organizations', { name: 'Bench' })
  const at = `/organizations/${organizationId}`
  const key = await create<Key>(server, `${at}/keys`)
  const { id: workspaceId } = await create<{ id: string }>(server, `${at}/workspaces`, { name: 'Bench', type: 'VIP' })
  const channel = { type: 'FB_PAGE', platformId: '1', name: 'Bench' }
  const { id: channelId } = await create<{ id: string }>(server, `${at}/channels`, channel)
  await call(server, 'PUT', `${at}/workspaces/${workspaceId}/channels/${channelId}`)
  await call(server, 'POST', `${at}/channels/${channelId}/conversations`, conversationLines(), 'application/x-ndjson')
  const [headerName, value] = options.header?.split(/: */) ?? []
  const requests =
    options.patch === undefined
      ? [{ path: `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&${options.query}` }]
      : await createPatches(server, { key, channelId, field: options.patch })
  return {
    server,
    order: {
      port: server.port,
      ...(options.patch === undefined ? {} : { method: 'PATCH' }),
      requests,
      connections: CONNECTIONS,
      ms: 0,
      headers: headerName === undefined ? {} : { [headerName]: value ?? '' },
      key,
      status: 200,
    },
  }
}

/** Creates drafts, and gives the change of each. */
async function createPatches(
  server: Server,
  { key, channelId, field }: { key: Key; channelId: string; field: string },
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

/** The conversations of bench/vip-users.ts, more or less. */
function conversationLines(): string {
  return Array.from({ length: CONVERSATIONS }, (_, n) =>
    JSON.stringify({
      conversationId: `t_${String(n).padStart(32, '0')}`,
      cuid: `cu_${100_000_000 + n}`,
      userName: `user.${n}`,
      firstName: `First${n % 997}`,
      lastName: `Last${n % 4_999}`,
      profilePic: `https://media.example/profiles/${String(n).padStart(32, '0')}.jpg`,
      ...(n % 3 === 0 ? {} : { birthday: `19${60 + (n % 40)}-0${1 + (n % 9)}-${10 + (n % 19)}` }),
      lastPurchaseAtMs: 1_700_000_000_000 + n * 1_000,
      lastUserMessageAtMs: 1_710_000_000_000 + n * 1_000,
      lastAppOpenAtMs: 1_720_000_000_000 + n * 1_000,
      lifetimeValue: ((n * 7_919) % 100_003) / 7,
    }),
  ).join('\n')
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
  const answer = await send(server, `/operator${path}`, { method, headers, body })
  return expectStatus(answer, answer.status === 201 ? 201 : 200).body
}

await bench(main)
