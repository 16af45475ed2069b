/**
 * `npm run bench:claims` measures one publisher's claims among a million scheduled posts, on a real PostgreSQL that
 * writes to the disk: while nothing is due, behind 10,000 due posts of a busy channel, and with 100,000 posts due at one
 * instant, on a platform that answers at once. It also measures the queries for probes and scrapes.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import { channelTokenContext, setChannelToken } from '../src/channels/channels.store.js'
import type { AppContext } from '../src/context.js'
import type { Queryable } from '../src/database/database.js'
import { claimDuePosts } from '../src/publisher/claims.store.js'
import { countPostsByStatus, findOldestDueAt } from '../src/publisher/due-posts.store.js'
import { createPublisher } from '../src/publisher/publisher.js'
import {
  bench,
  describeMachine,
  type Env,
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
/** The posts of these organizations come first in the order of claims. */
const INACTIVE_ORGANIZATIONS = 1_000
const TIES_MS = 20_000
const TOKEN = 'EAABenchToken'
const BUSY_PAGE = '811'
/** SQL for the page of the organization of post n. */
const PAGE_OF_N = `'9' || n % ${ORGANIZATIONS} || '1'`

/** Inserts posts on one channel each, for all organizations in turn or only for the first. */
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

/** SQL that makes this many posts due at one instant. */
const TIE = `
  update scheduled_posts set scheduled_for = date_trunc('hour', now())
   where scheduled_post_id in (select 'post_' || n from generate_series(1, ${TIED_POSTS}) n);
  analyze scheduled_posts`

/** Deactivates this many organizations, the first by id. */
async function setInactive({ database }: AppContext, organizations: number): Promise<void> {
  await database.query(
    `update organizations set active = organization_id not in (
       select organization_id from organizations order by organization_id limit $1)`,
    [organizations],
  )
}

/** A context that records how long each transaction took that claims or expires posts. */
interface Metered {
  context: AppContext
  claimsMs: number[]
}

function meter(context: AppContext): Metered {
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

/** Returns a row of the table: the cost of each of ROUNDS calls of `work`. */
async function measure(what: string, { claimsMs }: Metered, work: () => Promise<unknown>): Promise<string[]> {
  claimsMs.length = 0
  const start = performance.now()
  for (let round = 0; round < ROUNDS; round++) await work()
  const ms = (performance.now() - start) / ROUNDS
  const cells = [median(claimsMs), Math.max(...claimsMs), ms].map((value) => value.toFixed(1))
  return [what, formatCount(claimsMs.length / ROUNDS), ...cells]
}

/** Measures rounds of claims. */
async function measureRounds(what: string, metered: Metered): Promise<string[]> {
  const publisher = createPublisher(metered.context)
  await publisher.beginRound()
  return measure(what, metered, publisher.beginRound)
}

/** Measures claims while four posts of the busy page wait for the platform, and the others wait for them. */
async function measureBusy(metered: Metered, sandbox: Sandbox): Promise<string[][]> {
  const { database } = metered.context
  await database.execute(insertPosts('busy', BUSY_POSTS, `now() - interval '1 minute'`, 1, `'${BUSY_PAGE}'`))
  let release = (): void => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  sandbox.faults.add({ times: 100, fault: { kind: 'slow', until } })
  const publisher = createPublisher(metered.context)
  await publisher.beginRound()
  const what = `${formatCount(BUSY_POSTS)} due on a busy channel`
  const rows = [
    await measure(`${what}, a round`, metered, publisher.beginRound),
    await measure('the same, within a round', metered, publisher.claimAll),
  ]
  const stopped = publisher.stop()
  release()
  await stopped
  await database.execute(`delete from scheduled_posts where scheduled_post_id like 'post_busy%'; analyze`)
  return rows
}

/** Claims one of the posts due at one instant, while no channel is busy. */
function measureOneOfTies(what: string, metered: Metered): Promise<string[]> {
  const { database } = metered.context
  const lateBefore = new Date(0)
  const one = {
    holder: 'publisher_bench',
    leaseMs: 120_000,
    limit: 1,
    except: [],
    channelPosts: new Map(),
    channelPostsMax: 1,
    lateBefore,
  }
  return measure(what, metered, () => claimDuePosts(database, { ...one, now: new Date() }))
}

/** Returns a row of the second table: the time of each read of one figure, in milliseconds. */
async function measureFigure(what: string, read: () => Promise<unknown>): Promise<string[]> {
  const ms: number[] = []
  for (let round = 0; round < 3 * ROUNDS; round++) {
    const start = performance.now()
    await read()
    ms.push(performance.now() - start)
  }
  return [what, median(ms).toFixed(2), Math.max(...ms).toFixed(2)]
}

/** Measures the queries for probes and scrapes, with both kinds of plans. */
async function measureFigures(what: string, contexts: AppContext[]): Promise<string[][]> {
  const rows: string[][] = []
  for (const [index, { database }] of contexts.entries()) {
    const plans = index === 0 ? '' : ', custom plans'
    rows.push(await measureFigure(`oldest due, ${what}${plans}`, () => findOldestDueAt(database, new Date())))
    rows.push(await measureFigure(`posts by status, ${what}${plans}`, () => countPostsByStatus(database)))
  }
  return rows
}

/** Publishes due posts for TIES_MS. */
async function publishTies(plans: string, { context, claimsMs }: Metered): Promise<void> {
  claimsMs.length = 0
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
    [`${formatCount(TIED_POSTS)} due at one instant${plans}`, ''],
    ['posts published per second', formatCount(published / seconds)],
    ['posts per claim', (claimed / claimsMs.length).toFixed(1)],
    ['a claim during that work, median ms', median(claimsMs).toFixed(1)],
  ])
}

await bench(async () => {
  const pages = [{ id: BUSY_PAGE, platform: 'facebook' as const, name: 'Busy', accessToken: TOKEN }]
  const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [], pages } })
  const { port } = await startServer('programs/instant-platform.ts')
  const env: Env = { ...(await newDatabase('PostgreSQL', 'claims')), LATE_POST_HOURS: '48' }
  // The server may choose either kind of plan for a prepared statement, so a claim must be fast with both.
  const url = new URL(env.DATABASE_URL!)
  url.searchParams.set('options', '-c plan_cache_mode=force_custom_plan')
  const instant = { ...env, GRAPH_BASE_URL: `http://127.0.0.1:${port}` }
  const custom = { ...instant, DATABASE_URL: url.href }
  try {
    await withContext(env, fill)
    await withContext({ ...env, GRAPH_BASE_URL: sandbox.url }, async (opened) => {
      print(`\n${describeMachine([await nameDatabase(opened)])}\n`)
      const metered = meter(opened)
      const rows = [await measureRounds('nothing due, per round', metered)]
      const figures: string[][] = []
      await withContext(custom, async (context) => {
        rows.push(await measureRounds('the same, custom plans', meter(context)))
        figures.push(...(await measureFigures('nothing due', [opened, context])))
      })
      rows.push(...(await measureBusy(metered, sandbox)))
      await opened.database.execute(TIE)
      await withContext(custom, async (context) => {
        rows.push(await measureOneOfTies(`one of ${formatCount(TIED_POSTS)} due, custom plans`, meter(context)))
        figures.push(...(await measureFigures(`${formatCount(TIED_POSTS)} due`, [opened, context])))
        await setInactive(opened, INACTIVE_ORGANIZATIONS)
        const due = formatCount((TIED_POSTS / ORGANIZATIONS) * INACTIVE_ORGANIZATIONS)
        figures.push(...(await measureFigures(`${due} of them of inactive ones`, [opened, context])))
        await setInactive(opened, 0)
      })
      printTable([[`among ${formatCount(POSTS)} posts`, 'claims', 'median ms', 'longest ms', 'all ms'], ...rows])
      printTable([['figures', 'median ms', 'longest ms'], ...figures])
      await withContext(instant, (context) => publishTies('', meter(context)))
      await withContext(custom, (context) => publishTies(', custom plans', meter(context)))
    })
  } finally {
    await sandbox.close()
  }
})
