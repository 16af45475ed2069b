/**
 * `npm run bench` measures how many posts per second 1, 2 and 4 publishers publish, and how late each of 1,000 posts due
 * at the same moment is published. It runs real processes on a real PostgreSQL that writes to the disk, against the
 * sandbox over HTTP.
 */
import { randomBytes } from 'node:crypto'
import { cpus, totalmem } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { SandboxPage } from '../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import { insertOrganization } from '../src/access/organizations.store.js'
import { channelTokenContext, insertChannel, setChannelToken } from '../src/channels/channels.store.js'
import { readConfig } from '../src/config/index.js'
import { type AppContext, createContext } from '../src/context.js'
import { newId } from '../src/lib/ids.js'
import { type Child, startChild } from '../test/child.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import { createEmptyDatabase } from '../test/test-database.js'

const POSTS = 1_000
const PAGES = 50
const PUBLISHERS = [1, 2, 4]
/** The delay of a request to the platform: none, or that of a real one. */
const LATENCIES_MS = [0, 250]
/** Platform calls for one post: three for the page, five for the Instagram account. */
const CALLS = 8
/** The ceiling works on as many posts at once as a publisher does. */
const CEILING_AT_A_TIME = 32
/** The publishers are ready this long before the posts are due. */
const LEAD_MS = 2_000
const ROUND_MS_MAX = 600_000
const TOKEN = 'EAABenchToken'
const IMAGE_URL = 'https://media.example/shirt.jpg'

interface Round {
  publishers: string
  postsPerSecond: number
  medianMs: number
  p99Ms: number
}

interface BenchPost {
  pageId: string
  accountId: string
  caption: string
  url: string
}

const posts: BenchPost[] = Array.from({ length: POSTS }, (_, index) => ({
  pageId: String(1_000_000 + (index % PAGES)),
  accountId: String(2_000_000 + (index % PAGES)),
  caption: `Post ${index}`,
  url: IMAGE_URL,
}))

let postgresVersion = ''
for (const latencyMs of LATENCIES_MS) {
  const rounds: Round[] = []
  for (const publishers of PUBLISHERS) {
    rounds.push(await withSandbox(latencyMs, (sandbox) => publishWith(publishers, sandbox)))
  }
  const bare = await withSandbox(latencyMs, bareCalls)
  if (latencyMs === LATENCIES_MS[0]) printHead()
  printTable(latencyMs, rounds, bare)
}

async function withSandbox<T>(latencyMs: number, round: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const channels = (platform: SandboxPage['platform'], ids: string[]): SandboxPage[] =>
    [...new Set(ids)].map((id) => ({ id, platform, name: id, accessToken: TOKEN, quotaTotal: POSTS }))
  const pages = [
    ...channels(
      'facebook',
      posts.map(({ pageId }) => pageId),
    ),
    ...channels(
      'instagram',
      posts.map(({ accountId }) => accountId),
    ),
  ]
  const sandbox = await startSandbox({
    model: { tokens: {}, adAccounts: [], pages },
    onRequest: latencyMs === 0 ? undefined : () => wait(latencyMs),
  })
  try {
    return await round(sandbox)
  } finally {
    await sandbox.close()
  }
}

async function publishWith(count: number, sandbox: Sandbox): Promise<Round> {
  const env = {
    DATABASE_URL: await createEmptyDatabase('greenroom_bench'),
    MASTER_KEY: randomBytes(32).toString('hex'),
    GRAPH_BASE_URL: sandbox.url,
    PORT: '0',
  }
  const context = await createContext(readConfig({ ...env, LOG_LEVEL: 'silent' }))
  const children: Child[] = []
  try {
    const { rows } = await context.database.query<{ server_version: string }>('show server_version')
    postgresVersion = rows[0]?.server_version ?? ''
    await fill(context)
    const main = new URL('../dist/main.js', import.meta.url)
    for (let index = 0; index < count; index++) children.push(startChild(main, ['serve', '--role', 'publisher'], env))
    await Promise.all(children.map(isListening))

    const dueAt = Date.now() + LEAD_MS
    await context.database.query('update scheduled_posts set scheduled_for = $1', [new Date(dueAt)])
    await allPublished(context, dueAt)
    return { publishers: String(count), ...measure(sandbox, dueAt) }
  } finally {
    for (const child of children) child.process.kill('SIGTERM')
    await Promise.all(children.map(({ ended }) => ended))
    await context.close()
  }
}

/** Inserts the posts, scheduled for a time far in the future. */
async function fill({ database, sealer }: AppContext): Promise<void> {
  const createdAt = new Date()
  const organizationId = newId('org')
  await insertOrganization(database, { organizationId, name: 'Bench', createdAt })
  const channels = new Map(
    posts.flatMap(({ pageId, accountId }) => [
      [`FB_PAGE_${pageId}`, 'FB_PAGE'] as const,
      [`INSTAGRAM_ACCOUNT_${accountId}`, 'INSTAGRAM_ACCOUNT'] as const,
    ]),
  )
  for (const [channelId, type] of channels) {
    await insertChannel(database, organizationId, { channel_id: channelId, type, name: channelId })
    const sealed = sealer.seal(TOKEN, channelTokenContext(organizationId, channelId))
    await setChannelToken(database, organizationId, channelId, sealed)
  }
  await database.transaction(async (tx) => {
    for (const { pageId, accountId, caption, url } of posts) {
      await insertScheduledPost(tx, organizationId, {
        scheduledPostId: newId('post'),
        status: 'SCHEDULED',
        media: url,
        mediaType: 'IMAGE',
        scheduledFor: new Date(createdAt.getTime() + 86_400_000),
        channels: [
          { channelId: `FB_PAGE_${pageId}`, caption },
          { channelId: `INSTAGRAM_ACCOUNT_${accountId}`, caption },
        ],
        createdAt,
      })
    }
  })
  // A newly filled table has no statistics.
  await database.query('analyze')
}

/** Resolves when the process reports that it is ready; its later output is discarded. */
async function isListening(child: Child): Promise<void> {
  for await (const line of child.lines) {
    if (!line.includes('Greenroom listens')) continue
    child.process.stdout.resume()
    return
  }
  throw new Error(`a publisher did not start:\n${child.errors()}`)
}

async function allPublished({ database }: AppContext, dueAt: number): Promise<void> {
  while (Date.now() < dueAt + ROUND_MS_MAX) {
    const { rows } = await database.query<{ status: string; posts: number }>(
      'select status, count(*) as posts from scheduled_posts group by status',
    )
    const countOf = (status: string): number => rows.find((row) => row.status === status)?.posts ?? 0
    if (countOf('FAILED') > 0) throw new Error(`${countOf('FAILED')} posts failed`)
    if (countOf('PUBLISHED') === POSTS) return
    await wait(250)
  }
  throw new Error(`not all posts were published within ${ROUND_MS_MAX / 1000} s`)
}

/** The ceiling: one process that only makes the same calls. */
function bareCalls(sandbox: Sandbox): Promise<Round> {
  const program = new URL('programs/bare-publisher.ts', import.meta.url)
  const startedAt = Date.now()
  const child = startChild(program, [sandbox.url, TOKEN, JSON.stringify(posts), String(CEILING_AT_A_TIME)])
  return child.ended.then((code) => {
    if (code !== 0) throw new Error(`the bare calls failed:\n${child.errors()}`)
    // The start of the process does not count.
    const firstAt = Math.min(...sandbox.published.map(({ publishedAt }) => publishedAt))
    return { publishers: 'only the calls', ...measure(sandbox, Math.max(startedAt, firstAt)) }
  })
}

/** A post is published once it is on both of its channels. Fails unless everything was published exactly once. */
function measure({ published }: Sandbox, dueAt: number): Omit<Round, 'publishers'> {
  const repeated = published.filter(({ received }) => received !== 1)
  if (published.length !== 2 * POSTS || repeated.length > 0) {
    throw new Error(`${published.length} publications of ${2 * POSTS}, ${repeated.length} of them called repeatedly`)
  }
  const outAt = new Map<string, number>()
  for (const { text, publishedAt } of published) outAt.set(text, Math.max(outAt.get(text) ?? 0, publishedAt))
  const lateness = [...outAt.values()].map((at) => at - dueAt).sort((a, b) => a - b)
  const quantile = (share: number): number => lateness[Math.ceil(share * lateness.length) - 1]!
  return { postsPerSecond: POSTS / (quantile(1) / 1000), medianMs: quantile(0.5), p99Ms: quantile(0.99) }
}

function printHead(): void {
  const [cpu] = cpus()
  process.stdout.write(`
${POSTS} posts due at the same moment, each on one of ${PAGES} pages and one of ${PAGES} Instagram accounts: ${CALLS} calls of the platform a post.
${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}; Node ${process.version}; PostgreSQL ${postgresVersion}.
Publishers, PostgreSQL (fsync on) and sandbox share this machine.
`)
}

function printTable(latencyMs: number, rounds: Round[], bare: Round): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  const table = [
    ['publishers', 'posts/s', 'of only the calls', 'lateness: median', '99 %'],
    ...[...rounds, bare].map((round) => [
      round.publishers,
      round.postsPerSecond.toFixed(1),
      (round.postsPerSecond / bare.postsPerSecond).toFixed(2),
      seconds(round.medianMs),
      seconds(round.p99Ms),
    ]),
  ]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const lines = table.map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join('   '))
  const title = latencyMs === 0 ? 'The platform answers at once' : `Each call takes the platform ${latencyMs} ms`
  process.stdout.write(`\n${title}\n\n${lines.join('\n')}\n`)
}
