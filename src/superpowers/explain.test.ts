import { beforeAll, describe, expect, test } from 'vitest'
import { Member, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { operatorAny, wholeSuperpower } from '../../test/posts.js'
import { startProcessorTime } from '../../test/processor-time.js'
import type { ExplainRequest, Explanation } from '../interface/generated/types.js'
import { createChance } from './decision.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
})

const WANT: ExplainRequest['superpower'] = {
  conditionGroups: [
    {
      conditions: [{ values: ['want'] }],
      privateReplies: [{ text: 'Here, @[mention_user]' }],
      publicReplies: [{ text: 'Sent' }],
      delayPublicReplyInHours: 0.5,
    },
  ],
}

async function explain(given: Partial<ExplainRequest>): Promise<Explanation> {
  const body = { superpower: WANT, channelType: 'FB_PAGE', comments: [], ...given }
  return (await tenant.call(200, 'POST', '/superpowers/explain', { body })).body
}

test('a comment shows its group, its effects with their texts and times, and what is not executed', async () => {
  const at = new Date(app.clock.now()).toISOString()
  const comments = [{ commentId: 'c1', text: 'I WANT it', from: { name: 'Ana' }, at }, { text: 'No' }]
  const superpower = { ...WANT, shareTarget: 3 }
  expect(await explain({ superpower, comments })).toEqual({
    comments: [
      {
        ...{ commentId: 'c1', text: 'I WANT it', group: 0, reason: 'matched', entersRaffle: false },
        effects: [
          { effect: 'private_reply', state: 'planned', reason: null, at, text: 'Here, Ana' },
          {
            ...{ effect: 'public_reply', state: 'planned', reason: null, text: 'Sent' },
            at: new Date(app.clock.now() + 1_800_000).toISOString(),
          },
        ],
      },
      {
        ...{ commentId: expect.any(String), text: 'No', group: null, reason: 'no_match', entersRaffle: false },
        effects: [],
      },
    ],
    notExecuted: [{ path: 'shareTarget', reason: expect.any(String) }],
    warnings: [],
  })
})

test.each([
  ['fiyat', 'FİYAT', 'matched'],
  ['straße', 'Welche STRASSE?', 'matched'],
  ['价格', '请问价格多少', 'matched'],
  ['価格', 'iPhone価格', 'matched'],
  ['กา', 'กาแฟ', 'no_match'],
])('whether the keyword %s is in %s is shown', async (keyword, text, reason) => {
  const superpower = { conditionGroups: [{ conditions: [{ values: [keyword] }], publicReplies: [{ text: 'Sent' }] }] }
  expect((await explain({ superpower, comments: [{ text }] })).comments[0]).toMatchObject({ reason })
})

test('a name on Instagram is a username, with or without its @', async () => {
  for (const name of ['ana', '@ana']) {
    const { comments } = await explain({
      channelType: 'INSTAGRAM_ACCOUNT',
      comments: [{ text: 'want', from: { name } }],
    })
    expect(comments[0]?.effects[0]?.text).toBe('Here, @ana')
  }
})

describe('limits', () => {
  const reasonsOf = async (superpower: ExplainRequest['superpower'], comments: ExplainRequest['comments']) =>
    (await explain({ superpower, comments })).comments.map(({ reason }) => reason)
  const minutesAgo = (minutes: number) => new Date(app.clock.now() - minutes * 60_000).toISOString()

  test('count among the given comments by their time, in whatever order they are given', async () => {
    const [group] = WANT.conditionGroups!
    const limited = { conditionGroups: [{ ...group, usersLimit: 2, timeLimit: 1 }] }
    expect(
      await reasonsOf(limited, [
        { text: 'want', from: { id: 'c' }, at: minutesAgo(10) },
        { text: 'want', from: { id: 'a' }, at: minutesAgo(90) },
        { text: 'want', from: { id: 'a' }, at: minutesAgo(20) },
        { text: 'want', from: { id: 'b' }, at: minutesAgo(80) },
        { text: 'want', from: { id: 'b' }, at: minutesAgo(70) },
        { text: 'no', from: { id: 'd' }, at: minutesAgo(100) },
      ]),
    ).toEqual(['users_limit', 'matched', 'matched', 'matched', 'time_limit', 'no_match'])
  })

  test('of all groups count every group', async () => {
    const conditionGroups = ['one', 'two'].map((value) => ({
      ...WANT.conditionGroups![0],
      conditions: [{ values: [value] }],
    }))
    const comments = ['one', 'two', 'two'].map((text) => ({ text }))
    expect(await reasonsOf({ conditionGroups, globalUsersLimit: 2 }, comments)).toEqual([
      ...['matched', 'matched', 'users_limit'],
    ])
  })
})

test('chance is that of the installation for the comment', async () => {
  const superpower = { conditionGroups: [{ ...WANT.conditionGroups![0], probability: 0.5 }] }
  const ids = Array.from({ length: 40 }, (_, index) => `comment_${index}`)
  const { comments } = await explain({ superpower, comments: ids.map((commentId) => ({ commentId, text: 'want' })) })
  const expected = ids.map((id) => (createChance(app.context.chanceKey, id)(0, 'group') < 0.5 ? 'matched' : 'chance'))
  expect(comments.map(({ reason }) => reason)).toEqual(expected)
  expect(new Set(expected).size).toBe(2)
})

test('a past comment is explained as of its own time', async () => {
  const at = new Date(app.clock.now() - 30 * 86_400_000).toISOString()
  const { comments } = await explain({ comments: [{ text: 'want', at }] })
  expect(comments[0]).toMatchObject({ reason: 'matched', effects: [{ state: 'planned', at }, { state: 'planned' }] })
})

test('every field of a superpower is accepted, and nothing is stored', async () => {
  const { comments, notExecuted, warnings } = await explain({
    superpower: wholeSuperpower(),
    comments: [{ text: 'yes' }],
  })
  expect(comments[0]).toMatchObject({ reason: 'inactive' })
  expect(notExecuted.length).toBeGreaterThan(20)
  expect(warnings).not.toEqual([])
  expect((await tenant.get(200, '/superpowers')).body).toEqual([])
})

test('the operator and a person of the organization get the same answer as a key', async () => {
  const body = { superpower: WANT, channelType: 'FB_PAGE', comments: [{ commentId: 'c1', text: 'want' }] }
  const asKey = (await tenant.call(200, 'POST', '/superpowers/explain', { body })).body
  const asOperator = await operatorAny(tenant, 'POST', '/superpowers/explain', { body })
  expect([asOperator.status, asOperator.body]).toEqual([200, asKey])
  const { organizationId } = tenant
  const viewer = await Member.create(app, { organizationId, role: 'VIEWER' })
  const path = `/organizations/${organizationId}/superpowers/explain`
  expect((await viewer.call(200, 'POST', path, { body })).body).toEqual(asKey)
})

test.each([
  [{ superpower: undefined }, ['superpower']],
  [{ channelType: 'TIKTOK' }, ['channelType']],
  [{ comments: Array.from({ length: 201 }, () => ({ text: 'x' })) }, ['comments']],
  [{ comments: [{ text: 'x', at: 'yesterday' }] }, ['comments', '0', 'at']],
  [{ superpower: { raffle: { winnersLimit: 0 } } }, ['superpower', 'raffle', 'winnersLimit']],
])('a request with %j is refused', async (given, path) => {
  const body = { superpower: WANT, channelType: 'FB_PAGE', comments: [], ...given }
  const { body: refusal } = await tenant.call(422, 'POST', '/superpowers/explain', { body })
  expect(refusal.error[0].path).toEqual(path)
})

test('however similar phrases and comments are, the largest requests are answered within seconds', async () => {
  const values = Array.from({ length: 100 }, (_, index) => `${'a '.repeat(index % 20)}b b`)
  const conditionGroups = Array.from({ length: 100 }, () => ({ conditions: [{ values }] }))
  const text = `${'a '.repeat(2_000)}b ${'a '.repeat(2_000)}`
  const passed = startProcessorTime()
  const { comments } = await explain({
    superpower: { conditionGroups },
    comments: Array.from({ length: 60 }, () => ({ text })),
  })
  expect(comments.every(({ reason }) => reason === 'no_match')).toBe(true)
  expect(passed()).toBeLessThan(10_000)
})
