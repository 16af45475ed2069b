/**
 * `npx tsx scripts/run-on-postgres.ts --program bench/turns.ts` measures what the holder of a lane pays to find the next
 * effect and to settle its turn, with ten waiting comments, with 10,000 of one person, and with one each of 10,000
 * people.
 */
import { insertOrganization } from '../src/access/organizations.store.js'
import { findEffect, findTurn, type Lane, settleTurns } from '../src/automation/effects.store.js'
import { insertComments, insertEffects, takeTurns } from '../src/automation/ledger.store.js'
import { insertChannel } from '../src/channels/channels.store.js'
import type { Database } from '../src/database/database.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import { bench, type Engine, newDatabase, print, printTable, withContext } from './shared.js'

const WAITING = 10_000
const REPEATS = 300
const NOW = new Date()
const CHANNEL = 'FB_PAGE_1'

/** Inserts this many comments of this many people that wait for their public reply. Returns their lane. */
async function fill(database: Database, organizationId: string, comments: number, people: number): Promise<Lane> {
  const createdAt = new Date(NOW.getTime() - 60_000)
  const post = { organization_id: organizationId, scheduled_post_id: 'post_1', channel_id: CHANNEL }
  await insertOrganization(database, { organizationId, name: 'Bench', createdAt })
  await insertChannel(database, organizationId, { channel_id: CHANNEL, type: 'FB_PAGE', name: 'Bench' })
  await database.transaction(async (tx) => {
    await insertScheduledPost(tx, organizationId, {
      ...{ scheduledPostId: 'post_1', status: 'PUBLISHED', createdAt, channels: [{ channelId: CHANNEL }] },
    })
    await tx.query(
      `insert into automation_posts (organization_id, scheduled_post_id, channel_id, external_id, published_at)
       values ($1, $2, $3, '1', $4)`,
      [...Object.values(post), createdAt],
    )
    const ids = Array.from({ length: comments }, (_, n) => ({ commentId: `c${n}`, personId: `p${n % people}` }))
    const atMs = createdAt.getTime()
    const more = { parentId: null, fromName: null, text: 'me', groupPlace: 0 }
    await insertComments(
      tx,
      post,
      ids.map((id) => ({ ...id, ...more, commentedAtMs: atMs, reason: 'matched' })),
      NOW,
    )
    const effect = { effect: 'public_reply', groupPlace: 0, state: 'planned', reason: null, reply: null } as const
    const due = { dueAtMs: atMs, nextAttemptAtMs: atMs, isOnce: false }
    await insertEffects(
      tx,
      post,
      ids.map((id) => ({ ...id, ...effect, ...due })),
      NOW,
    )
    const waiting = ids.map(({ personId }) => ({ effect: effect.effect, queue: 'post_1', personId, atMs }))
    await takeTurns(tx, post, waiting)
  })
  await database.execute('analyze')
  return { organization_id: organizationId, channel_id: CHANNEL, effect: 'public_reply', after_queue: '' } as Lane
}

/** Milliseconds per turn. */
async function measure(database: Database, lane: Lane): Promise<number> {
  const startedAt = performance.now()
  for (let n = 0; n < REPEATS; n++) {
    const turn = (await findTurn(database, lane, new Date()))!
    await findEffect(database, lane, turn.comment_id!)
    await settleTurns(database, lane, { queue: turn.queue, person: turn.person_id, servedAt: new Date(), limit: 1 })
  }
  return (performance.now() - startedAt) / REPEATS
}

await bench(async () => {
  const engines: Engine[] = process.env.TEST_DATABASE_URL ? ['PostgreSQL', 'embedded'] : ['embedded']
  const rows: string[][] = []
  for (const engine of engines) {
    await withContext(await newDatabase(engine, 'turns'), async ({ database }) => {
      const row: string[] = [engine]
      for (const [name, comments, people] of [
        ['few', 10, 10],
        ['one', WAITING, 1],
        ['many', WAITING, WAITING],
      ] as const) {
        const lane = await fill(database, `org_${name}`, comments, people)
        await measure(database, lane)
        row.push(`${(await measure(database, lane)).toFixed(2)} ms`)
      }
      rows.push(row)
    })
  }
  printTable([['one turn', '10 waiting', `${WAITING} of one person`, `one each of ${WAITING} people`], ...rows])
  print('Found, read and settled.\n')
})
