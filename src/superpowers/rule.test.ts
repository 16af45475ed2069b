import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConditionGroup, Raffle, Reply, Superpower } from '../interface/generated/types.js'
import { parseRule } from './rule.js'

const HOUR_MS = 3_600_000

const groupOf = (group: ConditionGroup) => parseRule({ conditionGroups: [group] }).groups[0]!
const repliesOf = (...replies: Reply[]) => groupOf({ privateReplies: replies }).privateReplies
const raffleOf = (raffle: Raffle) => parseRule({ raffle }).raffle

describe('a rule', () => {
  test('of an empty superpower is active, never ends and has no group', () => {
    expect(parseRule({})).toEqual({
      ...{ isActive: true, expiresAtMs: null, groups: [], raffle: null },
      everyone: { peopleMax: null, periodMs: null },
    })
  })

  test('has the executed parts of a superpower', () => {
    expect(
      parseRule({
        ...{ active: false, expirationDate: 1_800_000_000, globalUsersLimit: 9, globalTimeLimit: 2 },
        conditionGroups: [{}, { name: 'Want', usersLimit: 3, timeLimit: 0.5, takesPartInRaffle: true }],
      }),
    ).toMatchObject({
      ...{ isActive: false, expiresAtMs: 1_800_000_000_000, everyone: { peopleMax: 9, periodMs: 2 * HOUR_MS } },
      groups: [
        { place: 0, name: null, conditions: [], probability: 1, likeProbability: 0, entersRaffle: false },
        { place: 1, name: 'Want', limits: { peopleMax: 3, periodMs: HOUR_MS / 2 }, entersRaffle: true },
      ],
    })
  })
})

describe('a condition', () => {
  test.each([
    [undefined, null],
    [[], null],
    [['any'], null],
    [['#Want', 'ANY '], null],
    [
      ['#Quero já', '42', '#', '  '],
      [['quero', 'já'], ['42']],
    ],
    [[42], [['42']]],
    [[{ text: 'want' }, null, true], []],
  ])('with the values %j', (values, phrases) => {
    expect(groupOf({ conditions: [values === undefined ? {} : { values }] }).conditions).toEqual([phrases])
  })

  test.each([
    [{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', logicalCondition: 'ANY_VALUE' }, true],
    [{ aiValues: [], userProperty: {}, dateCondition: '' }, true],
    [{ conditionType: 'DATE' }, false],
    [{ userActionType: 'SHARED' }, false],
    [{ logicalCondition: 'ALL_VALUES' }, false],
    [{ aiValues: ['wants it'] }, false],
    [{ socialUserProperty: 'followers' }, false],
    [{ retentionProperty: 'new' }, false],
    [{ dateCondition: 'weekend' }, false],
    [{ userProperty: { age: 18 } }, false],
  ])('%j can match: %s', (condition, canMatch) => {
    expect(groupOf({ conditions: [{ values: ['any'] }, condition] }).canMatch).toBe(canMatch)
  })
})

describe('replies', () => {
  test('that are inactive or empty are dropped, and the others keep their place', () => {
    expect(
      repliesOf({ text: 'a', active: false }, { text: ' b ' }, {}, { text: '  ' }, { text: 'c', active: true }),
    ).toEqual([
      { place: 1, text: 'b', media: null, links: [] },
      { place: 4, text: 'c', media: null, links: [] },
    ])
  })

  test('have images and links at web addresses', () => {
    const url = 'https://shop.example/1'
    expect(
      repliesOf(
        { mediaUrl: url, mediaType: 'IMAGE' },
        { mediaUrl: url, mediaType: 'VIDEO' },
        { mediaUrl: 'ftp://shop.example' },
        { redirects: [{ text: 'Shop', url }, { url }, { text: 'Call', payload: 'CALL' }, { url: 'javascript:x' }] },
      ),
    ).toEqual([
      { place: 0, text: '', media: { url, type: 'IMAGE' }, links: [] },
      {
        ...{ place: 3, text: '', media: null },
        links: [
          { text: 'Shop', url },
          { text: url, url },
        ],
      },
    ])
  })

  test('in public are texts', () => {
    const publicReplies = [{ mediaUrl: 'https://shop.example/1' }, { text: 'Sent' }]
    expect(groupOf({ publicReplies }).publicReplies).toMatchObject([{ place: 1, text: 'Sent' }])
  })
})

describe('numbers', () => {
  test.each([
    [undefined, 1],
    [0, 0],
    [0.25, 0.25],
    [-1, 0],
    [50, 1],
    [Number.NaN, 1],
  ])('a probability of %s is %s', (probability, share) => {
    const fields = { probability, publicRepliesProbability: probability, autoLikeProbability: probability }
    const given = probability === undefined ? {} : (fields as ConditionGroup)
    expect(groupOf({ ...given, autoLike: true })).toMatchObject({
      ...{ probability: share, publicProbability: share, likeProbability: share },
    })
    expect(groupOf(given).likeProbability).toBe(0)
  })

  test.each([
    [0, null, null],
    [-3, null, null],
    [Number.NaN, null, null],
    [0.5, 1, HOUR_MS / 2],
    [2.5, 2, 2.5 * HOUR_MS],
  ])('a limit of %s', (limit, peopleMax, periodMs) => {
    expect(groupOf({ usersLimit: limit, timeLimit: limit }).limits).toEqual({ peopleMax, periodMs })
  })

  test('a delay has fractions and a maximum', () => {
    expect(groupOf({ delayDMReplyInHours: 0.25, delayPublicReplyInHours: -1 })).toMatchObject({
      ...{ privateDelayMs: HOUR_MS / 4, publicDelayMs: 0 },
    })
    expect(() =>
      new Date(Date.now() + groupOf({ delayDMReplyInHours: 1e300 }).privateDelayMs).toISOString(),
    ).not.toThrow()
  })
})

describe('a raffle', () => {
  test.each([
    ['2026-12-24T18:30:00Z', '2026-12-24T18:30:00.000Z'],
    ['2026-12-24T18:30:00.5-03:00', '2026-12-24T21:30:00.500Z'],
    ['2026-12-24T18:30', '2026-12-24T18:30:00.000Z'],
    ['2026-12-24 18:30:00', '2026-12-24T18:30:00.000Z'],
    [' 2026-12-24 ', '2026-12-24T00:00:00.000Z'],
  ])('that ends at %s ends at %s', (endDate, instant) => {
    expect(new Date(raffleOf({ endDate })!.endsAtMs).toISOString()).toBe(instant)
  })

  test('ends at the same instant in every time zone of the server', () => {
    const rule = fileURLToPath(new URL('./rule.ts', import.meta.url))
    const script = `import { toInstant } from ${JSON.stringify(rule)}
      console.log(new Date(toInstant('2026-12-24T18:30')).toISOString())`
    const argv = ['--import', 'tsx', '--input-type=module', '-e', script]
    const env = { ...process.env, TZ: 'America/Sao_Paulo' }
    expect(execFileSync(process.execPath, argv, { env, encoding: 'utf8' }).trim()).toBe('2026-12-24T18:30:00.000Z')
  })

  test.each([
    undefined,
    '',
    'Christmas',
    '24.12.2026',
    '2026-13-01',
    '2026-12-24T25:00Z',
    '2026-12-24 evening',
  ])('that ends at %s is ignored', (endDate) => {
    expect(raffleOf(endDate === undefined ? {} : { endDate })).toBeNull()
  })

  test('has one winner unless it has more, and only its active replies', () => {
    const endDate = '2026-12-24'
    expect(raffleOf({ endDate, startDate: 'soon' })).toMatchObject({
      winnersMax: 1,
      startsAtMs: null,
      winnersReply: null,
    })
    expect(
      raffleOf({
        ...{ endDate, startDate: '2026-12-01', winnersLimit: 3 },
        winnersPrivateReply: { text: 'You won' },
        looseresPrivateReply: { text: 'Next time', active: false },
      }),
    ).toMatchObject({
      ...{ winnersMax: 3, startsAtMs: Date.parse('2026-12-01T00:00:00Z') },
      ...{ winnersReply: { text: 'You won' }, losersReply: null },
    })
  })
})

test('every stored value is handled', () => {
  const odd = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, -1, 1e300, Number.MAX_SAFE_INTEGER))
  const text = fc.oneof(fc.string(), fc.constantFrom('', '2026-12-24', 'any', 'https://a.example', 'USER_ACTION'))
  const reply = fc.record(
    {
      text,
      mediaUrl: text,
      mediaType: text,
      active: fc.boolean(),
      redirects: fc.array(fc.record({ text, url: text })),
    },
    { requiredKeys: [] },
  )
  const condition = fc.record({ conditionType: text, values: fc.array(fc.anything()) }, { requiredKeys: [] })
  const group = fc.record(
    {
      ...{ conditions: fc.array(condition), privateReplies: fc.array(reply), publicReplies: fc.array(reply) },
      ...{ autoLike: fc.boolean(), autoLikeProbability: odd, probability: odd, publicRepliesProbability: odd },
      ...{ usersLimit: odd, timeLimit: odd, delayDMReplyInHours: odd, delayPublicReplyInHours: odd },
    },
    { requiredKeys: [] },
  )
  const raffle = fc.record({ winnersLimit: odd, startDate: text, endDate: text, winnersPrivateReply: reply })
  const superpower = fc.record(
    { expirationDate: fc.integer(), globalUsersLimit: odd, conditionGroups: fc.array(group), raffle },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(superpower as fc.Arbitrary<Superpower>, (given) => {
      const rule = parseRule(given)
      for (const { probability, publicProbability, likeProbability, limits, ...delays } of rule.groups) {
        for (const share of [probability, publicProbability, likeProbability]) {
          expect(share >= 0 && share <= 1).toBe(true)
        }
        for (const bound of [limits.peopleMax, limits.periodMs]) expect(bound === null || bound > 0).toBe(true)
        expect(delays.privateDelayMs >= 0 && delays.publicDelayMs >= 0).toBe(true)
      }
      expect(rule.raffle === null || rule.raffle.winnersMax >= 1).toBe(true)
    }),
  )
})
