/**
 * `npm run bench:raffle` draws a raffle of 100,000 entrants on both engines. It fails unless each raffle is frozen and
 * drawn within 10 s, passes verification, and has the same winners on both. `--quick` uses a tenth of the entrants.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { insertOrganization } from '../src/access/organizations.store.js'
import { insertComments } from '../src/automation/ledger.store.js'
import { drawRaffles } from '../src/automation/raffles/draw.js'
import { readEntrants } from '../src/automation/raffles/draw.store.js'
import { enterRaffle } from '../src/automation/raffles/enter.js'
import { planMessages } from '../src/automation/raffles/plan-messages.js'
import { findDrawnRaffle, listWinners } from '../src/automation/raffles/raffles.store.js'
import { insertChannel } from '../src/channels/channels.store.js'
import type { AppContext } from '../src/context.js'
import { QUICKNET } from '../src/lib/beacon.js'
import { findFaults, sha256 } from '../src/lib/raffle-proof.js'
import { parseRule } from '../src/superpowers/rule.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import {
  bench,
  describeMachine,
  type Engine,
  formatCount,
  nameDatabase,
  newDatabase,
  print,
  printTable,
  withContext,
} from './shared.js'

const ENTRANTS = process.argv.includes('--quick') ? 10_000 : 100_000
const WINNERS = 1_000
const BATCH = 1_000
const GOAL_MS = 10_000
/** The key is the same on both engines, so the draw must be too. */
const CHANCE_KEY = Buffer.alloc(32, 'greenroom bench')
const ORGANIZATION = 'org_bench'
const CHANNEL = 'FB_PAGE_1'
const POST = { organization_id: ORGANIZATION, scheduled_post_id: 'post_bench', channel_id: CHANNEL }
const ENDED = Date.now() - 3_600_000

const superpower = {
  conditionGroups: [{ takesPartInRaffle: true }],
  raffle: {
    endDate: new Date(ENDED).toISOString(),
    winnersLimit: WINNERS,
    winnersPrivateReply: { text: 'You won!' },
    looseresPrivateReply: { text: 'Not this time.' },
  },
}

/** Inserts a published post and everyone who entered its raffle. */
async function fill({ database }: AppContext): Promise<void> {
  const createdAt = new Date(ENDED - 86_400_000)
  await insertOrganization(database, { organizationId: ORGANIZATION, name: 'Bench', createdAt })
  await insertChannel(database, ORGANIZATION, { channel_id: CHANNEL, type: 'FB_PAGE', name: 'Bench' })
  const raffle = parseRule(superpower).raffle!
  await database.transaction(async (tx) => {
    await insertScheduledPost(tx, ORGANIZATION, {
      ...{ scheduledPostId: POST.scheduled_post_id, status: 'PUBLISHED', createdAt },
      channels: [{ channelId: CHANNEL, superpower }],
    })
    await tx.query(
      `insert into automation_posts (organization_id, scheduled_post_id, channel_id, external_id, published_at)
       values ($1, $2, $3, '1', $4)`,
      [...Object.values(POST), createdAt],
    )
  })
  for (let from = 0; from < ENTRANTS; from += BATCH) {
    const comments = Array.from({ length: BATCH }, (_, index) => ({
      ...{ commentId: `c${from + index}`, parentId: null, personId: String(9_200_000_000 + from + index) },
      ...{ fromName: `Person ${from + index}`, text: 'me', commentedAtMs: ENDED - 1_000, groupPlace: 0 },
      reason: 'matched' as const,
    }))
    await database.transaction(async (tx) => {
      await insertComments(tx, POST, comments, new Date())
      await enterRaffle(tx, POST, { raffle, comments, chanceKey: CHANCE_KEY, chain: QUICKNET })
    })
  }
  // Autovacuum does this on a server within a minute.
  await database.execute('analyze')
}

/** Runs some work, and returns its time and the longest time in which nothing else ran, in ms. */
async function time(work: () => Promise<void>): Promise<{ ms: number; blockedMs: number }> {
  let blockedMs = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    blockedMs = Math.max(blockedMs, now - last)
    last = now
  }, 1)
  await wait(20)
  blockedMs = 0
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  await wait(5)
  clearInterval(timer)
  return { ms, blockedMs }
}

async function repeat(work: () => Promise<number>): Promise<void> {
  while ((await work()) > 0);
}

/** Draws, and returns the row of the table and the result that must be the same on both engines. */
async function measure(opened: AppContext, engine: Engine): Promise<{ row: string[]; result: string; ms: number }> {
  const context = { ...opened, chanceKey: CHANCE_KEY }
  await fill(context)
  const draw = await time(() => repeat(() => drawRaffles(context)))
  const raffle = (await findDrawnRaffle(context.database, POST))!
  const winners = await listWinners(context.database, POST)
  const entrants = await readEntrants(context.database, POST)
  const faults = await findFaults({
    endsAt: raffle.ends_at.toISOString(),
    ...{ seed: raffle.seed, seedSha256: sha256(raffle.seed), winnersLimit: raffle.winners_max },
    ...{ entrants, entrantsSha256: raffle.entrants_sha256, winners, redraws: [] },
  })
  if (entrants.length !== ENTRANTS || faults.length > 0)
    throw new Error(`${entrants.length} entrants: ${faults.join(' ')}`)
  const informed = await time(() => repeat(() => planMessages(context)))
  const digest = sha256(winners.map(({ rank, entrant }) => `${rank} ${entrant}\n`).join(''))
  return {
    row: [
      engine,
      ...[draw.ms, draw.blockedMs].map((ms) => `${ms.toFixed(0)} ms`),
      `${(informed.ms / 1000).toFixed(1)} s`,
      `${informed.blockedMs.toFixed(0)} ms`,
      draw.ms < GOAL_MS ? 'met' : 'missed',
    ],
    result: `${raffle.entrants_sha256} ${digest}`,
    ms: draw.ms,
  }
}

await bench(async () => {
  const engines: Engine[] = process.env.TEST_DATABASE_URL ? ['PostgreSQL', 'embedded'] : ['embedded']
  const rows: string[][] = []
  const results = new Set<string>()
  let isMet = true
  for (const engine of engines) {
    await withContext(await newDatabase(engine, 'raffle'), async (context) => {
      print(`\n${describeMachine([await nameDatabase(context)])}\n`)
      const { row, result, ms } = await measure(context, engine)
      rows.push(row)
      results.add(result)
      isMet &&= ms < GOAL_MS
    })
  }
  printTable([
    [
      `${formatCount(ENTRANTS)} entrants`,
      'frozen and drawn',
      'longest block',
      'messages planned',
      'longest block',
      'goal: 10 s',
    ],
    ...rows,
  ])
  print(
    `${results.size === 1 ? 'The same' : 'NOT THE SAME'} entrants and winners on ${engines.join(' and ')}: ${[...results].join(', ')}\n`,
  )
  if (!isMet || results.size !== 1) process.exitCode = 1
})
