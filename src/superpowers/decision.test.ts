import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../test/runs.js'
import type { ConditionGroup, Superpower } from '../interface/generated/types.js'
import { type Answered, type CommentToDecide, createChance, type DecisionWorld, decide, NOBODY } from './decision.js'
import { parseRule } from './rule.js'

const HOUR_MS = 3_600_000
const NOW_MS = Date.parse('2026-11-26T12:00:00Z')

const commentOf = (more: Partial<CommentToDecide> = {}): CommentToDecide => ({
  ...{ id: 'c1', text: 'I want it', atMs: NOW_MS, personId: 'p1', personName: 'Ana', username: null, ...more },
})
const worldOf = (more: Partial<DecisionWorld> = {}): DecisionWorld => ({
  ...{ channelType: 'FB_PAGE', chance: () => 0, group: NOBODY, everyone: NOBODY, nowMs: NOW_MS, notice: null },
  hasPrivateReply: false,
  ...more,
})
const PRIVATE: ConditionGroup = { privateReplies: [{ text: 'Here' }] }
const BOTH: ConditionGroup = { ...PRIVATE, publicReplies: [{ text: 'Sent, @[mention_user]' }] }

const decideBy = (superpower: Superpower, comment: Partial<CommentToDecide> = {}, world: Partial<DecisionWorld> = {}) =>
  decide(parseRule(superpower), commentOf(comment), worldOf(world))
const decideGroup = (group: ConditionGroup, ...rest: [Partial<CommentToDecide>?, Partial<DecisionWorld>?]) =>
  decideBy({ conditionGroups: [group] }, ...rest)

describe('a comment', () => {
  test('has every effect of the first group that matches, in order', () => {
    const want = [{ values: ['want'] }]
    const conditionGroups = [
      { conditions: [{ values: ['other'] }] },
      { conditions: want, ...BOTH, autoLike: true },
      BOTH,
    ]
    const dueAtMs = NOW_MS
    expect(decideBy({ conditionGroups })).toEqual({
      ...{ group: 1, reason: 'matched', entersRaffle: false },
      effects: [
        {
          ...{ effect: 'private_reply', state: 'planned', reason: null, dueAtMs, afterPrivate: false, isOnce: true },
          reply: { place: 0, text: 'Here', media: null, links: [] },
        },
        {
          ...{ effect: 'public_reply', state: 'planned', reason: null, dueAtMs, afterPrivate: true, isOnce: false },
          reply: { place: 0, text: 'Sent, Ana', media: null, links: [] },
        },
        { effect: 'like', state: 'planned', reason: null, dueAtMs, afterPrivate: false, isOnce: false, reply: null },
      ],
    })
  })

  test.each<[string, Superpower, string | null]>([
    ['says nothing about it: one per person', {}, 'person_answered'],
    ['limits only people: one per person', { globalUsersLimit: 9 }, 'person_answered'],
    ['has a time for everybody: another may follow', { globalTimeLimit: 1 }, null],
  ])('of a person with a private reply, if the superpower %s', (_, superpower, reason) => {
    const { effects } = decideBy({ ...superpower, conditionGroups: [BOTH] }, {}, { hasPrivateReply: true })
    expect(effects.map((effect) => effect.reason)).toEqual([reason, reason && 'no_private_reply'])
    const limited = [{ ...BOTH, timeLimit: 1 }]
    const [again] = decideBy({ ...superpower, conditionGroups: limited }, {}, { hasPrivateReply: true }).effects
    expect(again).toMatchObject({ state: 'planned', isOnce: false })
  })

  test('without a text is answered if every comment is', () => {
    expect(decideGroup(BOTH, { text: null }).reason).toBe('matched')
    expect(decideGroup({ ...BOTH, conditions: [{ values: ['want'] }] }, { text: null }).reason).toBe('no_match')
  })

  // Each also applies to the previous one: the first in this order is reported.
  const all: Superpower = {
    ...{ active: false, expirationDate: NOW_MS - 9 * 24 * HOUR_MS },
    conditionGroups: [{ ...BOTH, conditions: [{ values: ['never'] }], probability: 0, usersLimit: 1, timeLimit: 1 }],
  }
  const [group] = all.conditionGroups!
  const matching: Superpower = { conditionGroups: [{ ...group!, conditions: [] }] }
  const likely: Superpower = { conditionGroups: [{ ...group!, conditions: [], probability: 1 }] }
  const other: Answered = { people: 1, includesPerson: false, lastAtMs: NOW_MS }
  const old = { atMs: NOW_MS - 8 * 24 * HOUR_MS }
  test.each<[string, Superpower, Partial<CommentToDecide>, Answered, number | null]>([
    ['inactive', all, old, other, null],
    ['expired', { ...all, active: true }, old, other, null],
    ['too_old', { ...all, active: true, expirationDate: 0 }, old, other, null],
    ['no_match', { ...all, active: true, expirationDate: 0 }, {}, other, null],
    ['chance', matching, {}, other, 0],
    ['users_limit', likely, {}, other, 0],
    ['time_limit', likely, {}, { ...other, includesPerson: true }, 0],
    ['matched', likely, {}, { ...other, includesPerson: true, lastAtMs: NOW_MS - HOUR_MS }, 0],
  ])('has the reason %s', (reason, superpower, comment, answered, place) => {
    const decision = decideBy(superpower, comment, { group: answered })
    expect([decision.reason, decision.group, decision.effects.length > 0]).toEqual([
      reason,
      place,
      reason === 'matched',
    ])
  })

  test('has the reason that the superpower is inactive if no group can match', () => {
    expect(decideBy({}).reason).toBe('inactive')
    expect(decideGroup({ ...BOTH, conditions: [{ dateCondition: 'today' }] }).reason).toBe('inactive')
  })

  test('is judged by the time at which it was written', () => {
    const superpower = { expirationDate: NOW_MS - HOUR_MS / 2, conditionGroups: [PRIVATE] }
    expect(decideBy(superpower, { atMs: NOW_MS - HOUR_MS / 2 - 1 }).reason).toBe('matched')
    expect(decideBy(superpower, { atMs: NOW_MS - HOUR_MS / 2 }).reason).toBe('expired')
    expect(decideGroup(PRIVATE, { atMs: NOW_MS - 7 * 24 * HOUR_MS }).reason).toBe('matched')
    expect(decideGroup(PRIVATE, { atMs: NOW_MS - 7 * 24 * HOUR_MS - 1 }).reason).toBe('too_old')
  })

  test('is subject to the limits of all groups together', () => {
    const superpower = { conditionGroups: [PRIVATE], globalUsersLimit: 1, globalTimeLimit: 2 }
    const everyone = (people: number, lastAtMs: number | null = null) => ({
      everyone: { people, includesPerson: lastAtMs !== null, lastAtMs },
    })
    expect(decideBy(superpower, {}, everyone(1)).reason).toBe('users_limit')
    expect(decideBy(superpower, {}, everyone(1, NOW_MS - 2 * HOUR_MS + 1)).reason).toBe('time_limit')
    expect(decideBy(superpower, {}, everyone(1, NOW_MS - 2 * HOUR_MS)).reason).toBe('matched')
    expect(decideBy(superpower, {}, everyone(0)).reason).toBe('matched')
  })

  test('enters the raffle from its start until its end', () => {
    const raffle = { startDate: '2026-11-26T12:00Z', endDate: '2026-11-26T13:00Z' }
    const enters = (atMs: number, takesPartInRaffle = true) =>
      decideBy({ raffle, conditionGroups: [{ ...PRIVATE, takesPartInRaffle }] }, { atMs }, { nowMs: atMs }).entersRaffle
    expect([NOW_MS - 1, NOW_MS, NOW_MS + HOUR_MS - 1, NOW_MS + HOUR_MS].map((atMs) => enters(atMs))).toEqual([
      ...[false, true, true, false],
    ])
    expect(enters(NOW_MS, false)).toBe(false)
  })
})

describe('an effect', () => {
  const effects = (...given: Parameters<typeof decideGroup>) =>
    decideGroup(...given).effects.map(({ effect, state, reason }) => [effect, state, reason])

  test('waits its delay', () => {
    const { effects: planned } = decideGroup({ ...BOTH, delayDMReplyInHours: 0.5, delayPublicReplyInHours: 0.25 })
    expect(planned.map(({ dueAtMs }) => dueAtMs - NOW_MS)).toEqual([HOUR_MS / 2, HOUR_MS / 4])
  })

  test('that is due after the window is skipped, and so is the public reply that announces it', () => {
    expect(effects({ ...BOTH, delayDMReplyInHours: 167 })[0]).toEqual(['private_reply', 'planned', null])
    expect(effects({ ...BOTH, delayDMReplyInHours: 167.001 })).toEqual([
      ['private_reply', 'skipped', 'window'],
      ['public_reply', 'skipped', 'no_private_reply'],
    ])
  })

  test('that was due more than an hour ago is skipped', () => {
    const atMs = NOW_MS - HOUR_MS - 1
    expect(effects({ ...BOTH, autoLike: true }, { atMs })).toEqual([
      ['private_reply', 'skipped', 'late'],
      ['public_reply', 'skipped', 'no_private_reply'],
      ['like', 'skipped', 'late'],
    ])
    expect(effects({ publicReplies: [{ text: 'x' }] }, { atMs })).toEqual([['public_reply', 'skipped', 'late']])
    expect(effects({ ...PRIVATE, delayDMReplyInHours: 0.5 }, { atMs })).toEqual([['private_reply', 'planned', null]])
  })

  test('has its own chance', () => {
    const group = { ...BOTH, publicRepliesProbability: 0.5, autoLike: true, autoLikeProbability: 0.25 }
    const by = (chances: Record<string, number>) =>
      effects(group, {}, { chance: (_, purpose) => chances[purpose] ?? 0 }).map(([effect, , reason]) => [
        effect,
        reason,
      ])
    expect(by({ public_reply: 0.49, like: 0.25 })).toEqual([
      ...[
        ['private_reply', null],
        ['public_reply', null],
      ],
      ['like', 'chance'],
    ])
    expect(by({ public_reply: 0.5, like: 0.24 })).toEqual([
      ...[
        ['private_reply', null],
        ['public_reply', 'chance'],
      ],
      ['like', null],
    ])
  })

  test('uses the reply that chance selects, each equally often', () => {
    const rule = parseRule({ conditionGroups: [{ privateReplies: ['a', 'b', 'c'].map((text) => ({ text })) }] })
    const counts: Record<string, number> = {}
    for (let index = 0; index < 3_000; index++) {
      const id = `comment_${index}`
      const { effects: planned } = decide(rule, commentOf({ id }), worldOf({ chance: createChance('secret', id) }))
      counts[planned[0]!.reply!.text] = (counts[planned[0]!.reply!.text] ?? 0) + 1
    }
    for (const text of ['a', 'b', 'c']) expect(counts[text]).toBeGreaterThan(900)
  })
})

describe('chance', () => {
  test('is the first 53 bits of an HMAC of the comment, the place and the purpose', () => {
    const digest = createHmac('sha256', 'secret').update('c1\x000\x00like').digest('hex')
    expect(createChance('secret', 'c1')(0, 'like')).toBe(Number(BigInt(`0x${digest.slice(0, 16)}`) >> 11n) / 2 ** 53)
  })

  test('is the same for a repeat, and differs for each comment, place, purpose and secret', () => {
    const draw = (secret: string, id: string, place: number, purpose: string) =>
      createChance(secret, id)(place, purpose)
    expect(draw('s', 'c1', 0, 'like')).toBe(draw('s', 'c1', 0, 'like'))
    const drawn = [
      ...[draw('s', 'c1', 0, 'like'), draw('t', 'c1', 0, 'like'), draw('s', 'c2', 0, 'like')],
      ...[draw('s', 'c1', 1, 'like'), draw('s', 'c1', 0, 'group')],
    ]
    expect(new Set(drawn).size).toBe(drawn.length)
    for (const chance of drawn) expect(chance >= 0 && chance < 1).toBe(true)
  })
})

// The text of docs/automation.md in the plainest form, by the stored superpower.
interface Told {
  group: number | null
  reason: string
  effects: string[]
}

function tell(superpower: Superpower, comment: CommentToDecide, world: DecisionWorld): Told {
  const groups = superpower.conditionGroups ?? []
  const words = ` ${(comment.text ?? '')
    .toLowerCase()
    .split(/[^a-z]+/)
    .join(' ')} `
  const no = (reason: string, group: number | null = null): Told => ({ group, reason, effects: [] })
  if (superpower.active === false || groups.length === 0) return no('inactive')
  if (superpower.expirationDate && comment.atMs >= superpower.expirationDate) return no('expired')
  if (comment.atMs < world.nowMs - 168 * HOUR_MS) return no('too_old')
  for (const [place, group] of groups.entries()) {
    let matches = true
    for (const { values } of group.conditions ?? []) {
      let holds = values!.length === 0 || values!.includes('any')
      for (const value of values!) if (words.includes(` ${`${value}`.replace('#', '').toLowerCase()} `)) holds = true
      if (!holds) matches = false
    }
    if (!matches) continue
    if (world.chance(place, 'group') >= group.probability!) return no('chance', place)
    const bounds = [
      [group.usersLimit, group.timeLimit, world.group],
      [superpower.globalUsersLimit, superpower.globalTimeLimit, world.everyone],
    ] as const
    for (const [users, hours, { people, includesPerson, lastAtMs }] of bounds) {
      if (users && people >= users && !includesPerson) return no('users_limit', place)
      if (hours && lastAtMs !== null && comment.atMs < lastAtMs + hours * HOUR_MS) return no('time_limit', place)
    }
    return { group: place, reason: 'matched', effects: tellEffects(group, place, comment, world) }
  }
  return no('no_match')
}

function tellEffects(group: ConditionGroup, place: number, comment: CommentToDecide, world: DecisionWorld): string[] {
  const effects: string[] = []
  const late = (hours: number) => comment.atMs + hours * HOUR_MS < world.nowMs - HOUR_MS
  let lost = false
  if (group.privateReplies!.length > 0) {
    const hours = group.delayDMReplyInHours!
    const reason = hours > 167 ? 'window' : late(hours) ? 'late' : 'planned'
    lost = reason !== 'planned'
    effects.push(`private ${reason}`)
  }
  if (group.publicReplies!.length > 0) {
    const hasLuck = world.chance(place, 'public_reply') < group.publicRepliesProbability!
    const reason = late(group.delayPublicReplyInHours!) ? 'late' : 'planned'
    const after = group.privateReplies!.length > 0 ? ' after' : ''
    effects.push(`public ${hasLuck ? (lost ? 'no_private_reply' : reason) : 'chance'}${after}`)
  }
  if (group.autoLike && group.autoLikeProbability! > 0) {
    const hasLuck = world.chance(place, 'like') < group.autoLikeProbability!
    effects.push(`like ${hasLuck ? (late(0) ? 'late' : 'planned') : 'chance'}`)
  }
  return effects
}

const share = fc.constantFrom(0, 0.3, 0.7, 1)
const limits = fc.constantFrom(0, 1, 2, 24)
const delay = fc.constantFrom(0, 0.5, 3, 167, 168)
const replies = fc.array(fc.record({ text: fc.constantFrom('a', 'b') }), { maxLength: 2 })
const values = fc.array(fc.constantFrom('want', '#Link', 'the link', 'any'), { maxLength: 2 })
const groups = fc.record({
  ...{ conditions: fc.array(fc.record({ values }), { maxLength: 2 }), privateReplies: replies, publicReplies: replies },
  ...{ probability: share, publicRepliesProbability: share, autoLikeProbability: share, autoLike: fc.boolean() },
  ...{ usersLimit: limits, timeLimit: limits, delayDMReplyInHours: delay, delayPublicReplyInHours: delay },
})
const superpowers: fc.Arbitrary<Superpower> = fc.record({
  active: fc.constantFrom(true, true, true, false),
  expirationDate: fc.constantFrom(0, 0, NOW_MS, NOW_MS - HOUR_MS),
  conditionGroups: fc.array(groups, { maxLength: 3 }),
  ...{ globalUsersLimit: limits, globalTimeLimit: limits },
})
const answered = fc.oneof(
  fc.record({ people: fc.nat(3), includesPerson: fc.constant(false), lastAtMs: fc.constant(null) }),
  fc.record({
    people: fc.integer({ min: 1, max: 3 }),
    includesPerson: fc.constant(true),
    lastAtMs: fc.integer({ min: -30, max: 2 }).map((hours) => NOW_MS + hours * HOUR_MS),
  }),
)
const comments = fc.record({
  id: fc.string({ minLength: 1 }),
  text: fc.option(fc.constantFrom('I WANT it', 'the link, want', 'a #link', 'the.link', 'wanted', '')),
  atMs: fc.constantFrom(0, 0, 0.5, 2, 100, 168, 168.1).map((hours) => NOW_MS - hours * HOUR_MS),
})

/** Decides made-up comments, and returns the resulting reasons and effects. Without a seed they differ each time. */
function decideMany(numRuns: number, seed?: number): Set<string> {
  const reasons = new Set<string>()
  fc.assert(
    fc.property(superpowers, comments, answered, answered, (superpower, given, group, everyone) => {
      const comment = commentOf(given)
      const world = worldOf({ chance: createChance('secret', comment.id), group, everyone })
      const decision = decide(parseRule(superpower), comment, world)
      const told = {
        ...{ group: decision.group, reason: decision.reason },
        effects: decision.effects.map(({ effect, state, reason, afterPrivate }) => {
          expect(state).toBe(reason === null ? 'planned' : 'skipped')
          return `${effect.replace('_reply', '')} ${reason ?? 'planned'}${afterPrivate ? ' after' : ''}`
        }),
      }
      reasons.add(told.reason)
      for (const effect of told.effects) reasons.add(effect)
      expect(told).toEqual(tell(superpower, comment, world))
    }),
    { numRuns, ...(seed !== undefined && { seed }) },
  )
  return reasons
}

test('any comment is decided as the plain text of the rules says', () => {
  decideMany(runs(500, 5_000))
})

test('the made-up comments cover all rules', () => {
  expect([...decideMany(3_000, 1)].sort()).toEqual([
    ...['chance', 'expired', 'inactive', 'like chance', 'like late', 'like planned', 'matched', 'no_match'],
    ...['private late', 'private planned', 'private window', 'public chance', 'public chance after', 'public late'],
    ...['public late after', 'public no_private_reply after', 'public planned', 'public planned after'],
    ...['time_limit', 'too_old', 'users_limit'],
  ])
})
