/**
 * `npm run bench:automation` decides 10,000 waiting comments on one post, on both engines, with a rule of twenty groups,
 * three effects for each comment, and limits that count people. The goal is 1,000 comments a second. `--quick` uses a
 * tenth of the comments.
 */
import { insertOrganization } from '../src/access/organizations.store.js'
import { insertIncomingComments } from '../src/audience/incoming-comments.store.js'
import { decideWaiting } from '../src/automation/decide.js'
import { insertChannel } from '../src/channels/channels.store.js'
import type { AppContext } from '../src/context.js'
import { insertScheduledPost } from '../test/insert-scheduled-post.js'
import {
  bench,
  describeMachine,
  type Engine,
  formatCount,
  median,
  nameDatabase,
  newDatabase,
  print,
  printTable,
  withContext,
} from './shared.js'

const COMMENTS = process.argv.includes('--quick') ? 1_000 : 10_000
const ROUNDS = 3
const GOAL_PER_SECOND = 1_000
const ORGANIZATION = 'org_bench'
const CHANNEL = 'FB_PAGE_1'

const groupOf = (word: string, limits: object = {}) => ({
  conditions: [
    {
      conditionType: 'USER_ACTION',
      userActionType: 'COMMENTED',
      logicalCondition: 'ANY_VALUE',
      values: [word, `${word} please`],
    },
  ],
  privateReplies: [{ text: 'Here is your link, @[mention_user]' }, { text: 'Have a look' }],
  publicReplies: [{ text: 'Sent!' }],
  autoLike: true,
  ...limits,
})
const superpower = {
  conditionGroups: [
    ...Array.from({ length: 19 }, (_, index) => groupOf(`word${index}`)),
    groupOf('price', { usersLimit: COMMENTS * 2, timeLimit: 1, timeLimitUnit: 'HOUR' }),
  ],
  globalUsersLimit: COMMENTS * 2,
}

/** Fills the database with a published post whose superpower is active. */
async function fill({ database }: AppContext, scheduledPostId: string): Promise<void> {
  const createdAt = new Date(Date.now() - 86_400_000)
  await database.transaction(async (tx) => {
    const channels = [{ channelId: CHANNEL, superpower }]
    await insertScheduledPost(tx, ORGANIZATION, { scheduledPostId, status: 'PUBLISHED', createdAt, channels })
    await tx.query(
      `insert into automation_posts (organization_id, scheduled_post_id, channel_id, external_id, published_at)
       values ($1, $2, $3, $2, $4)`,
      [ORGANIZATION, scheduledPostId, CHANNEL, createdAt],
    )
  })
  const now = new Date()
  const comments = Array.from({ length: COMMENTS }, (_, index) => ({
    ...{ channelId: CHANNEL, commentId: `${scheduledPostId}_${index}`, objectId: scheduledPostId },
    ...{ personId: String(9_200_000_000 + index), fromName: `Person ${index}`, text: 'What is the price?' },
    at: now.getTime() - 60_000 + Math.floor((index * 60_000) / COMMENTS),
  }))
  for (let from = 0; from < COMMENTS; from += 500) {
    await database.transaction((tx) => insertIncomingComments(tx, ORGANIZATION, comments.slice(from, from + 500), now))
  }
}

/** Returns the comments decided per second, one figure for each round. */
async function measure(context: AppContext): Promise<number[]> {
  const { database } = context
  await insertOrganization(database, { organizationId: ORGANIZATION, name: 'Bench', createdAt: new Date(0) })
  await insertChannel(database, ORGANIZATION, { channel_id: CHANNEL, type: 'FB_PAGE', name: 'Bench' })
  await database.query(`update channels set automation = 'on' where organization_id = $1`, [ORGANIZATION])
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await fill(context, `post_${round}`)
    // Autovacuum does this on a server within a minute.
    await database.execute('analyze')
    const start = performance.now()
    let decided = 0
    for (let some = 1; some > 0; decided += some) some = await decideWaiting(context)
    rates.push((1000 * decided) / (performance.now() - start))
    if (decided !== COMMENTS) throw new Error(`${decided} of ${COMMENTS} comments were decided`)
  }
  return rates
}

await bench(async () => {
  const table = [['engine', 'comments decided a second', 'median', `goal ${formatCount(GOAL_PER_SECOND)}`]]
  const versions: string[] = []
  for (const engine of ['PostgreSQL', 'embedded'] as const satisfies Engine[]) {
    await withContext(await newDatabase(engine, 'automation'), async (context) => {
      versions.push(await nameDatabase(context))
      const rates = await measure(context)
      const middle = median(rates)
      table.push([
        engine,
        rates.map(formatCount).join(', '),
        formatCount(middle),
        middle >= GOAL_PER_SECOND ? 'met' : 'missed',
      ])
    })
  }
  printTable(table)
  print(`\n${formatCount(COMMENTS)} comments on one post. ${describeMachine(versions)}`)
})
