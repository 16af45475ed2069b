/**
 * `npm run bench:update-post` measures PATCHes of scheduled posts per second over HTTP, including signature and
 * validation, on both engines, against the same single-row transaction sent straight to the database. `--quick` takes
 * under a minute.
 */
import { parseArgs } from 'node:util'
import { insertChannel } from '../src/channels/channels.store.js'
import type { AppContext } from '../src/context.js'
import { newId } from '../src/lib/ids.js'
import type { Child } from '../test/child.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import type { UpdateOrder, UpdateResult } from './programs/bare-update.js'
import {
  askLoad,
  bench,
  cpuSeconds,
  describeMachine,
  type Engine,
  formatCount,
  formatRatio,
  insertTenant,
  type Key,
  median,
  nameDatabase,
  newDatabase,
  print,
  printTable,
  sendOrder,
  start,
  startServer,
  withContext,
} from './shared.js'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' } } })
const QUICK = options.quick ?? false
const ROUNDS = QUICK ? 3 : 5
const ROUND_MS = QUICK ? 500 : 2_000
const WARM_UP_MS = QUICK ? 300 : 1_000
const POSTS = 1_000
const CHANNELS = 50
/** The service has the same number: DATABASE_POOL_MAX. */
const DATABASE_CONNECTIONS = 10
const GOAL = 0.5
const SCENARIOS = [
  { title: `${POSTS.toLocaleString('en')} posts in turn, 32 connections`, posts: POSTS, connections: 32 },
  { title: 'one post, 32 connections', posts: 1, connections: 32 },
  { title: `${POSTS.toLocaleString('en')} posts in turn, one connection`, posts: POSTS, connections: 1 },
]
type Scenario = (typeof SCENARIOS)[number]

interface Post {
  id: string
  channelId: string
}

interface Data {
  organizationId: string
  key: Key
  posts: Post[]
  database: string
}

interface Target {
  name: string
  run(scenario: Scenario, ms: number): Promise<UpdateResult & { cpuSeconds?: number }>
}

await bench(async () => {
  const load = start('programs/load.ts')
  const engines: { engine: Engine; targets: Target[] }[] = []
  const databases: string[] = []
  for (const engine of ['PostgreSQL', 'embedded'] as const) {
    const env = await newDatabase(engine, 'patched')
    const data = await withContext(env, fill)
    // Only one process can open the embedded database.
    const bareEnv = engine === 'PostgreSQL' ? env : await newDatabase(engine, 'bare')
    const bareData = engine === 'PostgreSQL' ? data : await withContext(bareEnv, fill)
    const bare = start('programs/bare-update.ts', bareEnv)
    const service = await startServer('programs/service.ts', env)
    databases.push(data.database)
    engines.push({
      engine,
      targets: [
        bareTarget('straight to the database: the transaction', 'transaction', bare, bareData),
        bareTarget('straight to the database: one update', 'update', bare, bareData),
        patchTarget('PATCH of the notes', () => ({ notes: 'Note {n}' }), { load, service, data }),
        patchTarget(
          "PATCH of a channel's caption",
          ({ channelId }) => ({ channels: { [channelId]: { caption: 'Caption {n}' } } }),
          { load, service, data },
        ),
      ],
    })
  }
  print(`
Changes of scheduled posts a second, medians of ${ROUNDS} interleaved rounds of ${ROUND_MS / 1000} s.
${describeMachine(databases)}
Load, service and PostgreSQL (fsync on) share this machine.

The transaction: the row locked and read, changed, its history written: begin, select for update, update, insert, commit. One
update: a statement of its own, with no lock before it and no history after it. Both over ${DATABASE_CONNECTIONS} database connections, as many as
the service has, or over one; on the embedded engine there is one. The goal is ${GOAL} of the transaction for the PATCH of the notes,
which are in the row itself; a caption is in a row of its own.

`)
  for (const { engine, targets } of engines) for (const scenario of SCENARIOS) await compare(engine, scenario, targets)
})

async function compare(engine: Engine, scenario: Scenario, targets: Target[]): Promise<void> {
  for (const target of targets) await target.run(scenario, WARM_UP_MS)
  const results = targets.map((): Awaited<ReturnType<Target['run']>>[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, target] of targets.entries()) results[index]!.push(await target.run(scenario, ROUND_MS))
  }
  const rates = results.map((rounds) => median(rounds.map(({ requests, seconds }) => requests / seconds)))
  printTable([
    [`${engine}, ${scenario.title}`, 'changes/s', 'of the transaction', 'p50 ms', 'p99 ms', 'CPU ms per change'],
    ...targets.map(({ name }, index) => [
      name,
      formatCount(rates[index]!),
      formatRatio(rates[index]! / rates[0]!),
      ...(['p50Ms', 'p99Ms'] as const).map((field) => median(results[index]!.map((round) => round[field])).toFixed(2)),
      formatCpu(results[index]!),
    ]),
  ])
  const ratio = rates[2]! / rates[0]!
  print(
    `PATCH of the notes: ${formatRatio(ratio)} of the transaction; goal ${GOAL}: ${ratio >= GOAL ? 'met' : 'missed'}.\n`,
  )
}

function formatCpu(rounds: { requests: number; cpuSeconds?: number }[]): string {
  const each = median(rounds.map(({ requests, cpuSeconds = Number.NaN }) => (cpuSeconds / requests) * 1000))
  return Number.isNaN(each) ? '' : each.toFixed(2)
}

/** Inserts posts that are scheduled for a time far in the future. */
async function fill(context: AppContext): Promise<Data> {
  const { database } = context
  const { organizationId, key } = await insertTenant(context)
  const channelIds = Array.from({ length: CHANNELS }, (_, index) => `FB_PAGE_${1_000_000 + index}`)
  for (const channelId of channelIds) {
    await insertChannel(database, organizationId, { channel_id: channelId, type: 'FB_PAGE', name: channelId })
  }
  const createdAt = new Date()
  const posts = Array.from({ length: POSTS }, (_, index) => ({
    id: newId('post'),
    channelId: channelIds[index % CHANNELS]!,
  }))
  await database.transaction(async (tx) => {
    for (const { id, channelId } of posts) {
      await insertScheduledPost(tx, organizationId, {
        scheduledPostId: id,
        status: 'SCHEDULED',
        media: 'https://media.example/shirt.jpg',
        mediaType: 'IMAGE',
        scheduledFor: new Date(createdAt.getTime() + 30 * 86_400_000),
        channels: [{ channelId, caption: 'Winter lights are up' }],
        createdAt,
      })
    }
  })
  // A newly filled table has no statistics.
  await database.query('analyze')
  return { organizationId, key, posts, database: await nameDatabase(context) }
}

function bareTarget(name: string, kind: UpdateOrder['kind'], bare: Child, data: Data): Target {
  return {
    name,
    run: ({ posts, connections }, ms) =>
      sendOrder<UpdateResult>(bare, {
        kind,
        organizationId: data.organizationId,
        postIds: data.posts.slice(0, posts).map(({ id }) => id),
        connections: Math.min(connections, DATABASE_CONNECTIONS),
        ms,
      } satisfies UpdateOrder),
  }
}

function patchTarget(
  name: string,
  bodyOf: (post: Post) => object,
  { load, service, data }: { load: Child; service: { port: number; pid: number }; data: Data },
): Target {
  return {
    name,
    async run({ posts, connections }, ms) {
      const before = cpuSeconds(service.pid)
      const result = await askLoad(load, {
        port: service.port,
        method: 'PATCH',
        requests: data.posts.slice(0, posts).map((post) => ({
          path: `/v1/scheduled-posts/${post.id}`,
          body: JSON.stringify(bodyOf(post)),
        })),
        connections,
        ms,
        headers: {},
        key: data.key,
        status: 200,
      })
      return { ...result, cpuSeconds: cpuSeconds(service.pid) - before }
    },
  }
}
