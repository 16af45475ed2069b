import { describe, expect, test } from 'vitest'
import { AutomationTest, answering, effectsOf, type PublishedPost } from '../../test/automation-harness.js'
import { gate } from '../../test/gate.js'
import { withPoints } from '../../test/points.js'
import { holdUp } from '../../test/publisher-harness.js'
import type { AppContext } from '../context.js'
import { decideWaiting } from './decide.js'
import { makeEffects } from './effects.js'
import { pollComments } from './polls.js'

class Fault extends Error {}

/** This is longer than any lease. */
const LEASES_MS = 121_000
const TYPES = ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const

/** Reads, decides and acts with a process that fails at a point; returns the name of the point, if there was one. */
async function workUntil(
  context: AppContext,
  at: number | RegExp,
  { isForGood }: { isForGood: boolean },
): Promise<string | undefined> {
  let passed = 0
  let metAt: string | undefined
  const faulty = withPoints(context, (name) => {
    const isMet = metAt === undefined && (typeof at === 'number' ? passed++ === at : at.test(name))
    if (isMet) metAt = name
    if (isMet || (isForGood && metAt !== undefined)) throw new Fault(`a fault at ${metAt}`)
  })
  for (const work of [pollComments, decideWaiting, makeEffects, makeEffects]) {
    await work(faulty).catch((error) => {
      if (!(error instanceof Fault)) throw error
    })
  }
  return metAt
}

/** Fails unless the comment has its row, each effect was carried out at most once, and the ledger matches. */
async function checkLedger(
  it: AutomationTest,
  post: PublishedPost,
  commentId: string,
  where: string,
): Promise<string[]> {
  const { messages, replies, likes } = it.sandbox
  const row = (await it.ledger(post)).find((each) => each.commentId === commentId)
  expect(row, where).toMatchObject({ reason: 'matched', group: 0 })
  const counts = { private_reply: messages, public_reply: replies, like: likes, message: [] }
  for (const { effect, state, reason } of row!.effects) {
    const count = counts[effect].filter((each) => each.commentId === commentId).length
    if (state === 'done') expect([effect, count], where).toEqual([effect, 1])
    else if (state === 'unknown') expect([count <= 1, reason], where).toEqual([true, 'answer_lost'])
    else expect([effect, state, reason, count], where).toEqual(['public_reply', 'skipped', 'no_private_reply', 0])
  }
  const states = effectsOf(row!)
  expect(states.includes('private_reply done'), where).toBe(!states.includes('public_reply skipped no_private_reply'))
  return states
}

describe.each(TYPES)('on %s', (type) => {
  test.each([
    ['a process dies', true],
    ['a statement or a call fails once', false],
  ] as const)(
    '%s at any point: another continues, nothing is made twice, nothing is lost, and the ledger is true',
    async (_, isForGood) => {
      const it = await AutomationTest.start()
      const post = await it.publish(answering({ autoLike: true }), { type })
      let unknown = 0
      let point = 0
      for (let metAt: string | undefined = ''; metAt !== undefined; point++) {
        // Its comments are later read only this often.
        it.clock.advance(31 * 60_000)
        const commentId = await it.comment(post, `Person ${point}`, 'me')
        metAt = await workUntil(it.context, point, { isForGood })
        it.clock.advance(LEASES_MS)
        await it.work()
        await it.minute()
        const states = await checkLedger(it, post, commentId, `point ${point}, ${metAt}`)
        if (states.some((state) => state.includes('unknown'))) unknown += 1
        // Without a fault everything is made.
        if (metAt === undefined) expect(states).toEqual(['private_reply done', 'public_reply done', 'like done'])
      }
      expect(point).toBeGreaterThan(60)
      // This happens between storing the attempt and storing its end, and nowhere else.
      expect(unknown).toBeGreaterThan(0)
      expect(unknown).toBeLessThan(point / 2)
    },
    240_000,
  )

  test.each([
    ['before the call', /^before POST .*\/messages$/, 0],
    ['after the call', /^after POST .*\/messages$/, 1],
  ] as const)('a process that dies right %s leaves it unknown, and it is never made again', async (_, at, sent) => {
    const it = await AutomationTest.start()
    const post = await it.publish(answering(), { type })
    const commentId = await it.comment(post, 'Ana', 'me')
    expect(await workUntil(it.context, at, { isForGood: true })).toMatch(at)
    await it.minute(30)
    const states = await checkLedger(it, post, commentId, 'the gap')
    expect(states).toEqual(['private_reply unknown answer_lost', 'public_reply skipped no_private_reply'])
    expect(it.sandbox.messages).toHaveLength(sent)
  })

  test('two nodes that decide and act at the same time make each effect once', async () => {
    const it = await AutomationTest.start()
    const post = await it.publish(answering({ autoLike: true, usersLimit: 7 }), { type })
    for (let index = 0; index < 10; index++) await it.comment(post, `Person ${index}`, 'me')
    const nodes = [it.context, { ...it.context, database: await it.publisher.openAnother() }]
    for (let second = 0; second < 20; second++) {
      for (const work of [pollComments, decideWaiting, makeEffects]) await Promise.all(nodes.map((node) => work(node)))
      it.clock.advance(1000)
    }
    const reasons = (await it.ledger(post)).map(({ reason }) => reason)
    expect(reasons.filter((reason) => reason === 'matched')).toHaveLength(7)
    expect(reasons.filter((reason) => reason === 'users_limit')).toHaveLength(3)
    for (const made of [it.sandbox.messages, it.sandbox.replies, it.sandbox.likes]) {
      expect(new Set(made.map(({ commentId }) => commentId)).size).toBe(7)
      expect(made).toHaveLength(7)
    }
  })

  test.each([
    'slow',
    'accepted-then-slow',
  ] as const)('a lane that is taken over during its call (%s): the call is made once, and its late answer counts', async (kind) => {
    const it = await AutomationTest.start()
    const post = await it.publish(answering(), { type })
    const commentId = await it.comment(post, 'Ana', 'me')
    await pollComments(it.context)
    await decideWaiting(it.context)
    const { arrived, release } = holdUp(it.publisher, /\/messages$/, kind)
    const first = makeEffects(it.context)
    await arrived
    it.clock.advance(LEASES_MS)
    const other = { ...it.context, database: await it.publisher.openAnother() }
    await makeEffects(other)
    expect(await checkLedger(it, post, commentId, 'taken over')).toEqual([
      'private_reply unknown answer_lost',
      'public_reply skipped no_private_reply',
    ])
    release()
    await first
    await makeEffects(other)
    const [row] = await it.ledger(post)
    expect(effectsOf(row!)).toEqual(['private_reply done', 'public_reply skipped no_private_reply'])
    expect(it.sandbox.messages).toHaveLength(1)
    expect(it.sandbox.replies).toEqual([])
  })
})

test.each([
  ['channel', 'switched_off'],
  ['post', 'stopped'],
] as const)('a switch of the %s that is flipped right before the attempt is in time', async (at, reason) => {
  const it = await AutomationTest.start()
  const post = await it.publish(answering())
  await it.comment(post, 'Ana', 'me')
  await pollComments(it.context)
  await decideWaiting(it.context)
  const [arrival, end] = [gate(), gate()]
  const standing = withPoints(it.context, async (name) => {
    if (!name.startsWith('before with held')) return
    arrival.open()
    await end.opened
  })
  const work = makeEffects(standing)
  await arrival.opened
  if (at === 'channel') await it.switch(post.channelId, 'off')
  else {
    const path = `/scheduled-posts/${post.postId}/superpowers/${post.channelId}/stop`
    await it.operator(200, 'POST', path, { reason: 'Sold out' })
  }
  end.open()
  await work
  expect(effectsOf((await it.ledger(post))[0]!)[0]).toBe(`private_reply skipped ${reason}`)
  expect(it.sandbox.messages).toEqual([])
})

test('effects that waited while nothing ran are late, even if a call was left open', async () => {
  const it = await AutomationTest.start()
  const post = await it.publish(answering())
  for (const name of ['Ana', 'Bo', 'Chen']) await it.comment(post, name, 'me')
  await workUntil(it.context, /^after with held/, { isForGood: true })
  it.clock.advance(2 * 3_600_000)
  await it.work()
  const effects = (await it.ledger(post)).map((row) => effectsOf(row)[0])
  expect(effects.toSorted()).toEqual([
    'private_reply skipped late',
    'private_reply skipped late',
    'private_reply unknown answer_lost',
  ])
  expect(it.sandbox.messages).toEqual([])
})
