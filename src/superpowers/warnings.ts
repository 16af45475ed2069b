import type { ConditionGroup, Superpower } from '../interface/generated/types.js'
import { PLANNED_WINDOW_MS } from './decision.js'
import { toWords } from './phrase.js'
import { type RaffleRule, type Rule, type RuleGroup, toInstant } from './rule.js'

/** Lists what will be executed literally but is rarely meant that way. */
export function listWarnings(superpower: Superpower, rule: Rule): string[] {
  const { groups, raffle } = rule
  return [
    ...(groups.length === 0 ? ['The superpower has no condition group, so it does nothing.'] : []),
    ...groups.flatMap((group) => checkGroup(group, superpower.conditionGroups![group.place]!)),
    ...checkOrder(groups),
    ...(superpower.raffle === undefined ? checkNoRaffle(groups) : checkRaffle(superpower.raffle, raffle, groups)),
  ]
}

function checkGroup(group: RuleGroup, stored: ConditionGroup): string[] {
  const name = nameOf(group)
  const isLate = group.privateReplies.length > 0 && group.privateDelayMs > PLANNED_WINDOW_MS
  return [
    ...(hasNoEffect(group) ? [`${name} has no effect: its comments are only counted.`] : []),
    ...(group.probability === 0 ? [`${name} never acts: its probability is 0.`] : []),
    ...PROBABILITIES.filter((field) => (stored[field] ?? 0) > 1).map(
      (field) =>
        `${name} always acts: its ${field} is ${stored[field]}, and the scale is 0 to 1, where 0.5 means half the time.`,
    ),
    ...(isLate
      ? [
          `${name} waits too long before its private reply: the platform allows it for 7 days, so neither it nor the public reply is sent.`,
        ]
      : []),
  ]
}

const PROBABILITIES = ['probability', 'publicRepliesProbability', 'autoLikeProbability'] as const

const hasNoEffect = ({ privateReplies, publicReplies, likeProbability, entersRaffle }: RuleGroup): boolean =>
  privateReplies.length === 0 && publicReplies.length === 0 && likeProbability === 0 && !entersRaffle

function checkOrder(groups: readonly RuleGroup[]): string[] {
  const all = groups.find(matchesAll)
  if (all === undefined) return []
  return groups
    .filter(({ place }) => place > all.place)
    .map((group) => `${nameOf(group)} is never reached: ${nameOf(all)} matches every comment before it.`)
}

const matchesAll = ({ canMatch, conditions }: RuleGroup): boolean =>
  canMatch && conditions.every((phrases) => phrases === null)

const checkNoRaffle = (groups: readonly RuleGroup[]): string[] =>
  groups
    .filter(({ entersRaffle }) => entersRaffle)
    .map((group) => `${nameOf(group)} takes part in a raffle, but the superpower has none.`)

function checkRaffle(
  stored: NonNullable<Superpower['raffle']>,
  raffle: RaffleRule | null,
  groups: readonly RuleGroup[],
): string[] {
  const entering = groups.filter(({ entersRaffle }) => entersRaffle)
  const texts = groups.flatMap(({ privateReplies, publicReplies }) => [...privateReplies, ...publicReplies])
  return [
    ...(raffle === null ? ['The raffle has no valid endDate: nobody enters it, and nothing is drawn.'] : []),
    ...(raffle === null ? [] : checkDates(stored, raffle)),
    ...(entering.length === 0 ? ['No condition group takes part in the raffle: nobody enters it.'] : []),
    ...(raffle?.winnersReply
      ? entering
          .filter(({ privateReplies }) => privateReplies.length > 0)
          .map(
            (group) =>
              `${nameOf(group)} sends its private reply at once: the platform allows one per comment, so winners get a message only if they wrote within 24 hours.`,
          )
      : []),
    ...(texts.some(({ text }) => ASKS_TO_SHARE.test(` ${toWords(text).join(' ')} `))
      ? ['The platform forbids raffles that ask people to share or to tag another person.']
      : []),
  ]
}

function checkDates({ startDate, endDate = '' }: NonNullable<Superpower['raffle']>, raffle: RaffleRule): string[] {
  const { startsAtMs, endsAtMs } = raffle
  return [
    ...(startDate && toInstant(startDate) === null
      ? ['The startDate of the raffle is not a valid date: people can enter from the beginning.']
      : []),
    ...(startsAtMs !== null && startsAtMs >= endsAtMs ? ['The raffle ends before it starts: nobody enters it.'] : []),
    ...(/[T ]/i.test(endDate.trim()) ? [] : [`The raffle ends as ${endDate.trim()} begins, at 00:00 UTC.`]),
  ]
}

const ASKS_TO_SHARE = / (share|tag|compartilhe|compartilha|marque|comparte|etiqueta) /

const nameOf = ({ place, name }: RuleGroup): string => (name ? `Group ${place + 1} (${name})` : `Group ${place + 1}`)
