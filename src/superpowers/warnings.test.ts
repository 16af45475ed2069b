import { describe, expect, test } from 'vitest'
import type { ConditionGroup, Superpower } from '../interface/generated/types.js'
import { parseRule } from './rule.js'
import { listWarnings } from './warnings.js'

const warn = (superpower: Superpower): string[] => listWarnings(superpower, parseRule(superpower))
const ANSWER = { text: 'Here' }
const WANT = [{ values: ['want'] }]
const group = (more: ConditionGroup = {}): ConditionGroup => ({ conditions: WANT, publicReplies: [ANSWER], ...more })
const entering = group({ takesPartInRaffle: true })
const raffle = { endDate: '2026-12-24T18:00:00Z' }

test('there is no warning about a superpower that does what it says', () => {
  const everyone = { publicReplies: [ANSWER], privateReplies: [ANSWER], autoLike: true, autoLikeProbability: 0.5 }
  expect(warn({ conditionGroups: [group(), { ...entering, publicReplies: [] }, everyone], raffle })).toEqual([])
})

describe('there is a warning about', () => {
  test('no group', () => {
    expect(warn({})).toEqual(['The superpower has no condition group, so it does nothing.'])
  })

  test('a group without an effect', () => {
    const groups = [{ conditions: WANT, name: 'A', publicReplies: [{ text: 'x', active: false }] }, group()]
    expect(warn({ conditionGroups: groups })).toEqual(['Group 1 (A) has no effect: its comments are only counted.'])
  })

  test('a group behind one that matches every comment', () => {
    const groups = [group(), group({ conditions: [{ values: ['any'] }] }), group(), group({ conditions: [] })]
    expect(warn({ conditionGroups: groups })).toEqual([
      'Group 3 is never reached: Group 2 matches every comment before it.',
      'Group 4 is never reached: Group 2 matches every comment before it.',
    ])
    // A group that cannot be executed matches none.
    expect(warn({ conditionGroups: [group({ conditions: [{ dateCondition: 'today' }] }), group()] })).toEqual([])
  })

  test('invalid probabilities', () => {
    const [never, ...always] = warn({
      conditionGroups: [group({ probability: 0 }), group({ probability: 50, publicRepliesProbability: 1 })],
    })
    expect(never).toBe('Group 1 never acts: its probability is 0.')
    expect(always).toEqual([expect.stringContaining('Group 2 always acts: its probability is 50')])
  })

  test("a private reply after the platform's window", () => {
    const late = expect.stringContaining('Group 1 waits too long')
    expect(warn({ conditionGroups: [group({ privateReplies: [ANSWER], delayDMReplyInHours: 168 })] })).toEqual([late])
    expect(warn({ conditionGroups: [group({ privateReplies: [ANSWER], delayDMReplyInHours: 167 })] })).toEqual([])
    expect(warn({ conditionGroups: [group({ delayDMReplyInHours: 168 })] })).toEqual([])
  })

  test('a raffle that is missing, that nobody enters, or that is never drawn', () => {
    expect(warn({ conditionGroups: [entering] })).toEqual([
      'Group 1 takes part in a raffle, but the superpower has none.',
    ])
    expect(warn({ conditionGroups: [group()], raffle })).toEqual([
      'No condition group takes part in the raffle: nobody enters it.',
    ])
    for (const without of [{}, { endDate: 'Christmas' }]) {
      expect(warn({ conditionGroups: [entering], raffle: without })).toEqual([
        'The raffle has no valid endDate: nobody enters it, and nothing is drawn.',
      ])
    }
  })

  test('dates of a raffle that are probably mistakes', () => {
    const of = (startDate: string, endDate: string) =>
      warn({ conditionGroups: [entering], raffle: { startDate, endDate } })
    expect(of('2026-12-01', '2026-12-24T18:00Z')).toEqual([])
    expect(of('2026-12-01', '2026-12-24')).toEqual(['The raffle ends as 2026-12-24 begins, at 00:00 UTC.'])
    expect(of('soon', raffle.endDate)).toEqual([expect.stringContaining('startDate of the raffle is not a valid date')])
    expect(of(raffle.endDate, raffle.endDate)).toEqual(['The raffle ends before it starts: nobody enters it.'])
  })

  test('the only private reply, which winners then do not get', () => {
    const both = { ...entering, privateReplies: [ANSWER] }
    const used = expect.stringContaining('Group 1 sends its private reply at once')
    expect(warn({ conditionGroups: [both], raffle: { ...raffle, winnersPrivateReply: ANSWER } })).toEqual([used])
    expect(warn({ conditionGroups: [both], raffle })).toEqual([])
  })

  test.each(['Share this post to win', 'Marque 2 amigos!', 'ETIQUETA a alguien', 'Tag, and win'])('%s', (text) => {
    const asking = { ...entering, publicReplies: [{ text }] }
    expect(warn({ conditionGroups: [asking], raffle })).toEqual([
      'The platform forbids raffles that ask people to share or to tag another person.',
    ])
    expect(warn({ conditionGroups: [group({ publicReplies: [{ text }] })] })).toEqual([])
  })
})
