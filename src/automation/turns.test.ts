import { beforeEach, describe, expect, test } from 'vitest'
import { REFUSALS } from '../../packages/sandbox/src/comments/refusals.js'
import { AutomationTest, answering, effectsOf, type PublishedPost } from '../../test/automation-harness.js'
import type { Superpower } from '../interface/generated/types.js'
import { decideWaiting } from './decide.js'
import { makeEffects } from './effects.js'
import { pollComments } from './polls.js'

let it: AutomationTest
beforeEach(async () => {
  it = await AutomationTest.start()
})

const PUBLIC = answering({ privateReplies: [] })
const PRIVATE = answering({ publicReplies: [] })

/** Makes one person comment many times, and then each of the others once, a second apart. */
async function flood(post: PublishedPost, times: number, others: readonly string[]): Promise<void> {
  for (let n = 0; n < times; n++) await it.comment(post, 'Eve', `me, number ${n}`)
  for (const name of others) {
    it.clock.advance(1000)
    await it.comment(post, name, 'me')
  }
}

const OTHERS = Array.from({ length: 12 }, (_, n) => `Person ${n}`)

/** Returns the authors of the answered comments, in the order of the answers. */
const answered = (made: readonly { commentId?: string }[]): string[] =>
  made.map(({ commentId }) => it.sandbox.comments.require(commentId!).person!.name)

/** Reads, decides, and plans the effects. */
async function plan(): Promise<void> {
  it.clock.advance(60_000)
  while ((await pollComments(it.context)) + (await decideWaiting(it.context)) > 0);
}

/** Plans, and lets this many seconds pass, in which due effects are made. */
async function seconds(count: number): Promise<void> {
  await plan()
  for (let second = 0; second < count; second++) {
    await makeEffects(it.context)
    it.clock.advance(1200)
  }
}

describe('one person with many comments', () => {
  test('has one turn in public replies before each of the others has one', async () => {
    const post = await it.publish(PUBLIC)
    await flood(post, 30, OTHERS)
    await seconds(15)
    // Ten are answered at once, and one a second from then on: everybody else is done within the first two dozen.
    const names = answered(it.sandbox.replies)
    const others = OTHERS.map((name) => names.indexOf(name))
    expect(Math.min(...others)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...others)).toBeLessThan(2 + OTHERS.length)
    await it.minute(5)
    expect(answered(it.sandbox.replies).filter((name) => name === 'Eve')).toHaveLength(30)
  })

  test('has turns of the same length in likes, and later people are not behind', async () => {
    const post = await it.publish(answering({ privateReplies: [], publicReplies: [], autoLike: true }))
    await flood(post, 30, [])
    await plan()
    await makeEffects(it.context)
    it.clock.advance(1000)
    await it.comment(post, 'Bo', 'me')
    await plan()
    await makeEffects(it.context)
    it.clock.advance(500)
    await makeEffects(it.context)
    expect(answered(it.sandbox.likes).indexOf('Bo')).toBeGreaterThanOrEqual(0)
    expect(answered(it.sandbox.likes).length).toBeLessThan(8)
  })

  test('gets one private reply on a post; the rest has a reason in the list, the report and the explanation', async () => {
    const superpower = answering({ autoLike: true })
    const post = await it.publish(superpower)
    await flood(post, 3, ['Bo'])
    await it.minute(6)
    const rows = (await it.ledger(post)).filter(({ reason }) => reason === 'matched')
    const done = ['private_reply done', 'public_reply done', 'like done']
    const rest = ['private_reply skipped person_answered', 'public_reply skipped no_private_reply', 'like done']
    expect(rows.map(effectsOf).toSorted()).toEqual([done, done, rest, rest])
    expect(answered(it.sandbox.messages).toSorted()).toEqual(['Bo', 'Eve'])
    const { effects } = await it.report(post)
    const counted = { effect: 'private_reply', state: 'skipped', reason: 'person_answered', count: 2 }
    expect(effects).toContainEqual({ group: 0, ...counted })
    const comments = ['one', 'two'].map((text) => ({ text, from: { name: 'Eve' } }))
    const body = { superpower, channelType: 'FB_PAGE', comments }
    const explained = (await it.operator(200, 'POST', '/superpowers/explain', body)).body.comments
    expect(explained.map(effectsOf).map(([first]: string[]) => first)).toEqual([
      'private_reply planned',
      'private_reply skipped person_answered',
    ])
    // Another post answers them again.
    const other = await it.publish(superpower, { channelId: post.channelId })
    await it.comment(other, 'Eve', 'me too')
    await it.minute(2)
    expect(answered(it.sandbox.messages).filter((name) => name === 'Eve')).toHaveLength(2)
  })

  test.each<[string, Superpower]>([
    ['the group', answering({ publicReplies: [], timeLimit: 1 })],
    ['the superpower', answering({ publicReplies: [] }, { globalTimeLimit: 1 })],
  ])('gets another once the time in %s is over', async (_, superpower) => {
    const post = await it.publish(superpower)
    await it.comment(post, 'Eve', 'me')
    await it.minute(2)
    await it.comment(post, 'Eve', 'too early')
    await it.minute(70)
    await it.comment(post, 'Eve', 'again')
    await it.minute(5)
    expect(it.sandbox.messages).toHaveLength(2)
  })

  test('is answered at the next comment if the first reply was certainly not sent', async () => {
    const post = await it.publish(PRIVATE)
    it.sandbox.faults.add({ match: /\/messages$/, fault: { kind: 'answer', answer: REFUSALS.unavailable } })
    await it.comment(post, 'Eve', 'me')
    await it.minute(2)
    await it.comment(post, 'Eve', 'me again')
    await it.minute(2)
    expect((await it.ledger(post)).map(effectsOf)).toEqual([
      ['private_reply refused unavailable'],
      ['private_reply done'],
    ])
  })

  test('never gets a second, even by a direct write: the database refuses it', async () => {
    const post = await it.publish(answering({ publicReplies: [], delayDMReplyInHours: 1 }))
    await it.comment(post, 'Eve', 'me')
    await it.comment(post, 'Eve', 'me again')
    await it.work()
    const { database } = it.context
    const again = database.query(
      `update automation_effects set state = 'planned', reason = null, once = true
        where organization_id = $1 and reason = 'person_answered'`,
      [it.publisher.tenant.organizationId],
    )
    await expect(again).rejects.toThrow('automation_effects_once')
  })

  test('is the same in a dry run', async () => {
    const post = await it.publish(PRIVATE, { automation: 'shadow' })
    await flood(post, 2, [])
    await it.minute(2)
    expect((await it.ledger(post)).map(effectsOf).toSorted()).toEqual([
      ['private_reply skipped dry_run'],
      ['private_reply skipped person_answered'],
    ])
  })
})

describe('a post with many comments', () => {
  test('takes turns with another post of the channel', async () => {
    const busy = await it.publish(PRIVATE)
    const calm = await it.publish(PRIVATE, { channelId: busy.channelId })
    const people = Array.from({ length: 30 }, (_, n) => `Person ${n}`)
    for (const name of people) await it.comment(busy, name, 'me')
    it.clock.advance(1000)
    for (const name of ['Ana', 'Bo', 'Chen']) await it.comment(calm, name, 'me')
    await it.minute()
    // Twenty at once: the calm post gets every other one as long as something waits there.
    const places = ['Ana', 'Bo', 'Chen'].map((name) => answered(it.sandbox.messages).indexOf(name))
    expect(Math.max(...places)).toBeLessThan(8)
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0)
    await it.minute(10)
    expect(it.sandbox.messages).toHaveLength(people.length + 3)
  })
})

test('turns are deleted once nothing is waiting', async () => {
  const post = await it.publish(answering({ publicReplies: [], delayDMReplyInHours: 2 }))
  await it.comment(post, 'Ana', 'me')
  await it.comment(post, 'Bo', 'me')
  await it.minute()
  const turns = async (): Promise<string[]> => {
    const { rows } = await it.context.database.query<{ person_id: string }>(
      'select person_id from automation_turns where organization_id = $1 order by turn_at, person_id',
      [it.publisher.tenant.organizationId],
    )
    return rows.map(({ person_id }) => person_id)
  }
  expect(await turns()).toHaveLength(2)
  await it.minute(125)
  expect(await turns()).toEqual([])
})
