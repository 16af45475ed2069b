/**
 * `npm run bench:claims`: what one publisher's claims cost among a million scheduled posts, on a real PostgreSQL that writes
 * to the disk: while nothing is due, behind 10,000 due posts of a busy channel, and with 100,000 posts due at one instant, which
 * it publishes on a platform that answers at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { channelTokenContext, setChannelToken } from '../src/channels/channels.store.js'
import { readConfig } from '../src/config.js'
import { type AppContext, createContext } from '../src/context.js'
import type { Queryable } from '../src/database/database.js'
import { createPublisher } from '../src/publisher/publisher.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import {
  bench,
  describeMachine,
  formatCount,
  median,
  nameDatabase,
  newDatabase,
  print,
  printTable,
  startServer,
  withContext,
} from './shared.js'

const ORGANIZATIONS = 10_000
const POSTS = 1_000_000
const BUSY_POSTS = 10_000
const TIED_POSTS = 100_000
const ROUNDS = 30
const TIES_MS = 20_000
const TOKEN = 'EAABenchToken'
const BUSY_PAGE = '811'
/** In SQL: the one page of the organization of post n. */
const PAGE_OF_N = `'9' || n % ${ORGANIZATIONS} || '1'`

/** So many posts, each on one channel, of all organizations in turn or of the first alone. */
const insertPosts = (
  prefix: string,
  count: number,
  scheduledFor: string,
  organizations: number,
  page: string,
): string => `
  set session_replication_role = replica;
  insert into scheduled_posts (organization_id, scheduled_post_id, status, media, scheduled_for, task_id, approved_version,
                               approved_at, approved_actor_type, created_at, updated_at)
  select 'org_' || n % ${organizations}, 'post_${prefix}' || n, 'SCHEDULED', 'https://media.example/a.jpg', ${scheduledFor},
         'task', 1, now(), 'operator', now(), now()
    from generate_series(1, ${count}) n;
  insert into scheduled_post_channels (organization_id, scheduled_post_id, channel_id, caption)
  select 'org_' || n % ${organizations}, 'post_${prefix}' || n, 'FB_PAGE_' || ${page}, 'Post ' || n
    from generate_series(1, ${count}) n;
  set session_replication_role = origin;
  analyze scheduled_posts;
  analyze scheduled_post_channels;`

async function fill({ database, sealer }: AppContext): Promise<void> {
  await database.execute(`
    insert into organizations select 'org_' || n, 'Bench', true, now() from generate_series(0, ${ORGANIZATIONS - 1}) n;
    insert into channels (organization_id, channel_id, type, name)
    select 'org_' || n, 'FB_PAGE_9' || n || 1, 'FB_PAGE', 'Page' from generate_series(0, ${ORGANIZATIONS - 1}) n;`)
  await database.execute(
    insertPosts('', POSTS, `now() + interval '1 day' + (n % 86400) * interval '60 seconds'`, ORGANIZATIONS, PAGE_OF_N),
  )
  const sealed = Array.from({ length: ORGANIZATIONS }, (_, n) =>
    sealer.seal(TOKEN, channelTokenContext(`org_${n}`, `FB_PAGE_9${n}1`)),
  )
  await database.query(
    `update channels c set access_token_sealed = sealed
       from unnest($1::text[]) with ordinality as token (sealed, n) where c.organization_id = 'org_' || n - 1`,
    [sealed],
  )
  const channelId = `FB_PAGE_${BUSY_PAGE}`
  await database.query(
    `insert into channels (organization_id, channel_id, type, name) values ($1, $2, 'FB_PAGE', 'Busy')`,
    ['org_0', channelId],
  )
  await setChannelToken(database, 'org_0', channelId, sealer.seal(TOKEN, channelTokenContext('org_0', channelId)))
}

/** The context, with the time of every transaction that locks due posts. */
function metered(context: AppContext): { context: AppContext; claimsMs: number[] } {
  const { database } = context
  const claimsMs: number[] = []
  const transaction: typeof database.transaction = async (work) => {
    let isClaim = false
    const start = performance.now()
    const result = await database.transaction((tx) => {
      const seen: Queryable = {
        ...tx,
        query(text, values) {
          isClaim ||= text.includes('skip locked')
          return tx.query(text, values)
        },
      }
      return work(seen)
    })
    if (isClaim) claimsMs.push(performance.now() - start)
    return result
  }
  return { context: { ...context, database: { ...database, transaction } }, claimsMs }
}

interface Row {
  what: string
  claims: number
  medianMs: number
  maxMs: number
  roundMs: number
}

/** What one claim and one round of claims cost while every round ends as it began. */
async function measureRounds(what: string, context: AppContext, publisher: Rounds): Promise<Row> {
  await publisher.beginRound()
  const { claimsMs } = meters.get(context)!
  claimsMs.length = 0
  const start = performance.now()
  for (let round = 0; round < ROUNDS; round++) await publisher.beginRound()
  const roundMs = (performance.now() - start) / ROUNDS
  return { what, claims: claimsMs.length / ROUNDS, medianMs: median(claimsMs), maxMs: Math.max(...claimsMs), roundMs }
}
type Rounds = Pick<ReturnType<typeof createPublisher>, 'beginRound'>
const meters = new Map<AppContext, { claimsMs: number[] }>()

/** Publishes for TIES_MS what is due. */
async function publishTies(opened: AppContext): Promise<void> {
  const { context, claimsMs } = metered(opened)
  const publisher = createPublisher(context)
  const ticked = publisher.tick()
  const start = performance.now()
  await wait(TIES_MS)
  await publisher.stop()
  await ticked
  const seconds = (performance.now() - start) / 1000
  const { claimed, published, failed } = publisher.status()
  if (failed > 0) throw new Error(`${failed} posts failed`)
  printTable([
    [`${formatCount(TIED_POSTS)} due at one instant, custom plans`, ''],
    ['posts published a second', formatCount(published / seconds)],
    ['posts in a claim', (claimed / claimsMs.length).toFixed(1)],
    ['a claim, median ms', median(claimsMs).toFixed(1)],
    ['a claim, longest ms', Math.max(...claimsMs).toFixed(1)],
  ])
}

await bench(async () => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const pages = [{ id: BUSY_PAGE, platform: 'facebook' as const, name: 'Busy', accessToken: TOKEN }]
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages } })
  const env = { ...(await newDatabase('PostgreSQL', 'claims')), GRAPH_BASE_URL: sandbox.url, LATE_POST_HOURS: '48' }
  await withContext(env, fill)
  const opened = await createContext(readConfig({ ...env, LOG_LEVEL: 'silent' }))
  const { context, claimsMs } = metered(opened)
  meters.set(context, { claimsMs })
  const { database } = context
  try {
    print(`\n${describeMachine([await nameDatabase(context)])}\n`)
    const rows = [await measureRounds('nothing due', context, createPublisher(context))]

    await database.execute(insertPosts('busy', BUSY_POSTS, `now() - interval '1 minute'`, 1, `'${BUSY_PAGE}'`))
    sandbox.faults.add({ times: 100, fault: { kind: 'slow', until: released } })
    const publisher = createPublisher(context)
    await publisher.beginRound()
    rows.push(await measureRounds(`${formatCount(BUSY_POSTS)} due on a busy channel, a round`, context, publisher))
    claimsMs.length = 0
    const start = performance.now()
    for (let count = 0; count < ROUNDS; count++) await publisher.claimAll()
    const roundMs = (performance.now() - start) / ROUNDS
    rows.push({
      what: 'the same, within a round',
      claims: claimsMs.length / ROUNDS,
      medianMs: median(claimsMs),
      maxMs: Math.max(...claimsMs),
      roundMs,
    })
    const stopped = publisher.stop()
    release()
    await stopped
    await database.execute(`delete from scheduled_posts where scheduled_post_id like 'post_busy%'; analyze`)
    printTable([
      [`among ${formatCount(POSTS)} posts`, 'claims', 'median ms', 'longest ms', 'all ms'],
      ...rows.map((row) => [
        row.what,
        formatCount(row.claims),
        row.medianMs.toFixed(1),
        row.maxMs.toFixed(1),
        row.roundMs.toFixed(1),
      ]),
    ])

    await database.execute(
      `update scheduled_posts set scheduled_for = date_trunc('hour', now())
        where scheduled_post_id in (select 'post_' || n from generate_series(1, ${TIED_POSTS}) n);
       analyze scheduled_posts`,
    )
    const url = new URL(env.DATABASE_URL!)
    url.searchParams.set('options', '-c plan_cache_mode=force_custom_plan')
    const { port } = await startServer('programs/instant-platform.ts')
    await withContext({ ...env, GRAPH_BASE_URL: `http://127.0.0.1:${port}`, DATABASE_URL: url.href }, publishTies)
  } finally {
    await opened.close()
    await sandbox.close()
  }
})
