/**
 * `npm run bench:comments` sends 10,000 comments on one post within a minute, by webhook, while other posts are due and
 * readers call `GET /vip-users`, and compares this with the same minute without comments. Calm and busy minutes
 * alternate. Every comment must be decided, and no limit of replies exceeded. Goals: other posts are published no later
 * (99 %), and readers keep 0.8 of their rate. `--quick` runs one short round; `--postgres` and `--embedded` choose one
 * engine.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '../packages/sandbox/src/lib/seeded-random.js'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import { createInbox } from '../packages/sandbox/src/senders/meta.js'
import {
  channelTokenContext,
  connectChannel,
  insertChannel,
  insertWorkspace,
  setChannelToken,
} from '../src/channels/channels.store.js'
import { GreenroomApi } from '../src/client/index.js'
import type { AppContext } from '../src/context.js'
import type { SuperpowerReport } from '../src/interface/generated/types.js'
import { newId } from '../src/lib/ids.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import {
  askLoad,
  bench,
  describeMachine,
  type Engine,
  expectStatus,
  formatCount,
  insertTenant,
  type Key,
  median,
  nameDatabase,
  newDatabase,
  OPERATOR_TOKEN,
  print,
  printTable,
  type StoppableServer,
  send,
  start,
  startServer,
  withContext,
} from './shared.js'

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean' }, postgres: { type: 'boolean' }, embedded: { type: 'boolean' } },
})
const ROUNDS = options.quick ? 1 : 3
const ROUND_MS = options.quick ? 15_000 : 60_000
const COMMENTS_PER_MINUTE = 10_000
const COMMENTS = (COMMENTS_PER_MINUTE * ROUND_MS) / 60_000
/** Comments in one delivery: the platform batches them if there are many. */
const BATCH = 20
/** The time between other posts that are due. */
const POST_EVERY_MS = 250
const OTHER_PAGES = 20
const CONVERSATIONS = 5_000
const CONNECTIONS = 32
/** The server must start within this time. */
const LEAD_MS = 30_000
/** The time between rounds, in which the previous round's superpower is stopped and its planned effects are skipped. */
const PAUSE_MS = 15_000
const READS_LEAST = 0.8
const DAY_MS = 86_400_000
const SECRET = 'app secret of the bench'
const TOKEN = 'EAABenchToken'
const LIMITS = { privateAnHour: 200, publicAMinute: 60, likesInFiveSeconds: 20 }

const superpower = {
  conditionGroups: [
    {
      conditions: [
        { conditionType: 'USER_ACTION', userActionType: 'COMMENTED', logicalCondition: 'ANY_VALUE', values: ['price'] },
      ],
      privateReplies: [{ text: 'Here is your link, @[mention_user]' }],
      publicReplies: [{ text: 'Sent!' }],
      autoLike: true,
    },
  ],
}

/** The due posts go to these pages, and the readers read the first of them. */
const otherPages = Array.from({ length: OTHER_PAGES }, (_, index) => String(1_000_000 + index))
/** The commented post has its own page in each round, because limits count by channel. */
const commentedPages = Array.from({ length: ROUNDS }, (_, round) => String(2_000_000 + round))
const pages = [...otherPages, ...commentedPages]
const channelOf = (page: string): string => `FB_PAGE_${page}`

interface Stage {
  sandbox: Sandbox
  server: StoppableServer
  operator: GreenroomApi
  organizationId: string
  workspaceId: string
  key: Key
  sourceId: string
  /** The commented post of each round. */
  commented: string[]
  /** The start of a round; rounds at even places are calm. */
  roundAt: (round: number) => number
}

interface Minute {
  pagesPerSecond: number
  latenessMs: number[]
}

/** The time from when the commented posts are published until a round begins. */
const offsetOf = (round: number): number => PAUSE_MS + round * (ROUND_MS + PAUSE_MS)
/** The name of a post that is due `ms` after the start of a round. */
const nameOf = (round: number, ms: number): string => `due_${round}_${ms}`

/**
 * Inserts everything that the service needs. The posts of all rounds are scheduled now, because only the service can use
 * the embedded database.
 */
async function fill(context: AppContext) {
  const { database, sealer } = context
  const { organizationId, key } = await insertTenant(context)
  const workspaceId = newId('ws')
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'Bench', type: 'VIP' })
  for (const page of pages) {
    const channelId = channelOf(page)
    await insertChannel(database, organizationId, { channel_id: channelId, type: 'FB_PAGE', name: channelId })
    const sealed = sealer.seal(TOKEN, channelTokenContext(organizationId, channelId))
    await setChannelToken(database, organizationId, channelId, sealed)
  }
  const read = channelOf(otherPages[0]!)
  await connectChannel(database, organizationId, workspaceId, read)
  await database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, lifetime_value)
     select $1, $2, 't_' || n, 'cu_' || n, 'user.' || n, n % 1000 from generate_series(1, $3::int) n`,
    [organizationId, read, CONVERSATIONS],
  )
  await database.query(`update channels set automation = 'on' where organization_id = $1`, [organizationId])
  const createdAt = new Date()
  const tomorrow = Date.now() + DAY_MS
  const commented = commentedPages.map(() => newId('post'))
  await database.transaction(async (tx) => {
    const schedule = (scheduledPostId: string, at: number, page: string, more: object = {}): Promise<void> =>
      insertScheduledPost(tx, organizationId, {
        ...{ scheduledPostId, status: 'SCHEDULED', createdAt, scheduledFor: new Date(at) },
        ...{ media: 'https://media.example/shirt.jpg', mediaType: 'IMAGE' },
        channels: [{ channelId: channelOf(page), caption: scheduledPostId, ...more }],
      })
    for (const [round, id] of commented.entries()) await schedule(id, tomorrow, commentedPages[round]!, { superpower })
    for (let round = 0; round < 2 * ROUNDS; round++) {
      for (let ms = 0; ms < ROUND_MS; ms += POST_EVERY_MS) {
        const page = otherPages[(ms / POST_EVERY_MS) % OTHER_PAGES]!
        await schedule(nameOf(round, ms), tomorrow + offsetOf(round) + ms, page)
      }
    }
  })
  // Empty tables are not analyzed: their statistics would say that they are empty.
  await database.query('vacuum analyze conversations, scheduled_posts, scheduled_post_channels')
  const firstAt = Date.now() + LEAD_MS
  await database.query(`update scheduled_posts set scheduled_for = scheduled_for - $1 * interval '1 ms'`, [
    tomorrow - firstAt,
  ])
  return { organizationId, workspaceId, key, commented, firstAt }
}

async function withStage<T>(engine: Engine, work: (stage: Stage) => Promise<T>): Promise<T> {
  const sandbox = await startSandbox({
    model: {
      ...{ tokens: {}, adAccounts: [] },
      pages: pages.map((id) => ({ id, platform: 'facebook', name: id, accessToken: TOKEN })),
    },
  })
  const env = {
    ...(await newDatabase(engine, 'comments')),
    ...{ OPERATOR_TOKEN, GRAPH_BASE_URL: sandbox.url, BENCH_PUBLISHER: '1', INTAKE_PER_SECOND: '0' },
  }
  const { firstAt, ...filled } = await withContext(env, fill)
  const roundAt = (round: number): number => firstAt + offsetOf(round)
  const server = await startServer('programs/service.ts', env)
  try {
    const baseUrl = `http://127.0.0.1:${server.port}/api`
    const operator = new GreenroomApi({ baseUrl, token: OPERATOR_TOKEN })
    const given = { type: 'META', name: 'Bench', secret: SECRET } as const
    const { id: sourceId } = await operator.call('createSource', { organizationId: filled.organizationId, body: given })
    if (Date.now() > firstAt) throw new Error('the service was not ready in time: LEAD_MS is too short')
    return await work({ sandbox, server, operator, ...filled, sourceId, roundAt })
  } finally {
    await server.stop()
    await sandbox.close()
  }
}

/** Reads for a minute, and returns the rate and how late that minute's posts were published. */
async function readFor(stage: Stage, load: ReturnType<typeof start>, round: number): Promise<Minute> {
  const { server, key, workspaceId, sandbox, roundAt } = stage
  const path = `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelOf(otherPages[0]!)}&scope=all`
  const order = { port: server.port, requests: [{ path }], connections: CONNECTIONS, headers: {}, key, status: 200 }
  const result = await askLoad(load, { ...order, ms: ROUND_MS })
  const dueAtOf = new Map(
    Array.from({ length: ROUND_MS / POST_EVERY_MS }, (_, index) => {
      const ms = index * POST_EVERY_MS
      return [nameOf(round, ms), roundAt(round) + ms] as const
    }),
  )
  const lateness = (): number[] =>
    sandbox.published.flatMap(({ text, publishedAt }) => (dueAtOf.has(text) ? [publishedAt - dueAtOf.get(text)!] : []))
  for (let waited = 0; lateness().length < dueAtOf.size && waited < PAUSE_MS; waited += 250) await wait(250)
  const latenessMs = lateness()
  if (latenessMs.length !== dueAtOf.size)
    throw new Error(`${latenessMs.length} of ${dueAtOf.size} posts were published`)
  return { pagesPerSecond: result.requests / result.seconds, latenessMs }
}

/** Adds comments evenly for a minute. */
async function comment({ sandbox, server, sourceId }: Stage, round: number, pageId: string): Promise<void> {
  const page = sandbox.model.pages!.find(({ id }) => id === pageId)!
  const inbox = createInbox({ url: '', secret: SECRET }, () => Date.now(), seededRandom(1))
  const postId = sandbox.published.find((one) => one.pageId === pageId)!.id
  const startedAt = Date.now()
  for (let sent = 0; sent < COMMENTS; sent += BATCH) {
    await wait(Math.max(0, startedAt + (sent * ROUND_MS) / COMMENTS - Date.now()))
    const ids = Array.from({ length: Math.min(BATCH, COMMENTS - sent) }, (_, index) =>
      sandbox.comments.comment({
        ...{ postId, pageId, from: `Person ${round}.${sent + index}`, text: 'What is the price?', isDelivered: false },
      }),
    )
    const comments = (await Promise.all(ids)).map((id) => sandbox.comments.find(id)!)
    for (const { headers, body } of inbox.comments(page, comments, { isTogether: true })) {
      expectStatus(await send(server, `/hooks/${sourceId}`, { method: 'POST', headers, body }), 200)
    }
  }
}

/** Waits until every comment is decided, and returns the milliseconds that this took. */
async function untilDecided({ operator, organizationId, commented }: Stage, round: number) {
  const endedAt = Date.now()
  for (;;) {
    const { items } = await operator.call('getSuperpowerReport', { organizationId, scheduledPostId: commented[round]! })
    const report = items[0] as SuperpowerReport
    if (report.comments.byReason.matched === COMMENTS) return Date.now() - endedAt
    if (Date.now() - endedAt > 60_000)
      throw new Error(`${report.comments.total} of ${COMMENTS} comments were decided: ${JSON.stringify(report)}`)
    await wait(100)
  }
}

/** The most calls within a time window of this length. */
function most(times: readonly number[], withinMs: number): number {
  let [count, first] = [0, 0]
  for (const [last, at] of times.entries()) {
    while (at - times[first]! >= withinMs) first += 1
    count = Math.max(count, last - first + 1)
  }
  return count
}

/** Fails if more was sent than the limits allow. */
function sentOn({ sandbox }: Stage, page: string) {
  const timesOf = (calls: readonly { pageId: string; at: number }[]): number[] =>
    calls.filter(({ pageId }) => pageId === page).map(({ at }) => at)
  const messages = timesOf(sandbox.messages)
  const replies = timesOf(sandbox.replies)
  const likes = timesOf(sandbox.likes)
  const isWithin =
    most(messages, 3_600_000) <= LIMITS.privateAnHour &&
    most(replies, 60_000) <= LIMITS.publicAMinute &&
    most(likes, 5_000) <= LIMITS.likesInFiveSeconds
  const sent = `${messages.length} private, ${replies.length} public, ${likes.length} likes`
  if (!isWithin) throw new Error(`more was sent on a page than the limits allow: ${sent}`)
  return sent
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1]!
}

const measure = (engine: Engine): Promise<void> =>
  withStage(engine, async (stage) => {
    const load = start('programs/load.ts')
    const minutes: { calm: Minute[]; busy: Minute[] } = { calm: [], busy: [] }
    const decided: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await wait(stage.roundAt(2 * round) - Date.now())
      minutes.calm.push(await readFor(stage, load, 2 * round))
      await wait(stage.roundAt(2 * round + 1) - Date.now())
      const page = commentedPages[round]!
      const [busy] = await Promise.all([readFor(stage, load, 2 * round + 1), comment(stage, round, page)])
      minutes.busy.push(busy)
      const decidedAfterMs = await untilDecided(stage, round)
      decided.push(decidedAfterMs)
      print(`${engine}, round ${round + 1}: ${sentOn(stage, page)}\n`)
      await stage.operator.call('stopSuperpower', {
        organizationId: stage.organizationId,
        scheduledPostId: stage.commented[round]!,
        channelId: channelOf(page),
        body: { reason: 'The round is over' },
      })
    }
    const lateness = (of: Minute[], share: number): string =>
      `${formatCount(
        quantile(
          of.flatMap(({ latenessMs }) => latenessMs),
          share,
        ),
      )} ms`
    const rates = (of: Minute[]): number => median(of.map(({ pagesPerSecond }) => pagesPerSecond))
    const ratio = median(minutes.busy.map((busy, round) => busy.pagesPerSecond / minutes.calm[round]!.pagesPerSecond))
    printTable([
      [engine, 'calm', 'beside comments', ''],
      ['pages per second', formatCount(rates(minutes.calm)), formatCount(rates(minutes.busy)), ratio.toFixed(2)],
      ...([0.5, 0.99] as const).map((share) => [
        `lateness of other posts, ${share * 100} %`,
        lateness(minutes.calm, share),
        lateness(minutes.busy, share),
        '',
      ]),
      ['all decided, after the last comment', '', `${decided.map(formatCount).join(', ')} ms`, ''],
    ])
    print(`Readers: goal at least ${READS_LEAST}; ${ratio >= READS_LEAST ? 'met' : 'missed'}.\n`)
  })

await bench(async () => {
  const engines = (['PostgreSQL', 'embedded'] as const).filter((engine) =>
    options.postgres === options.embedded ? true : engine === (options.postgres ? 'PostgreSQL' : 'embedded'),
  )
  for (const engine of engines) await measure(engine)
  const versions: string[] = []
  for (const engine of engines) versions.push(await withContext(await newDatabase(engine, 'version'), nameDatabase))
  print(
    `\n${formatCount(COMMENTS)} comments on one post in ${ROUND_MS / 1000} s. ${describeMachine(versions)} Readers, platform, service and PostgreSQL share it.\n`,
  )
})
