import type { Superpower } from '../interface/superpowers.js'
import { toWords } from '../lib/phrase.js'
import type { Rule, RuleGroup } from './rule.js'

/** Lists what is executed as it stands, and is seldom meant so. */
export function listWarnings(superpower: Superpower, rule: Rule): string[] {
  const { groups, raffle } = rule
  const entering = groups.filter(({ entersRaffle }) => entersRaffle)
  const all = groups.find((group) => matchesAll(group))
  const texts = groups.flatMap(({ privateReplies, publicReplies }) => [...privateReplies, ...publicReplies])
  return [
    ...(groups.length === 0 ? ['The superpower has no condition group: nothing acts.'] : []),
    ...groups.filter(hasNoEffect).map((group) => `${nameOf(group)} has no effect: its comments are only counted.`),
    ...(all === undefined
      ? []
      : groups
          .filter(({ place }) => place > all.place)
          .map((group) => `${nameOf(group)} is never reached: ${nameOf(all)} matches every comment before it.`)),
    ...(entering.length > 0 && raffle === null
      ? ['The raffle has no endDate that is a date: nobody enters it, and nothing is drawn.']
      : []),
    ...(raffle !== null && entering.length === 0
      ? ['No condition group takes part in the raffle: nobody enters it.']
      : []),
    ...(raffle?.winnersReply
      ? entering
          .filter(({ privateReplies }) => privateReplies.length > 0)
          .map(
            (group) =>
              `${nameOf(group)} answers in private at once: the platform allows one private reply for a comment, so winners get theirs only if they wrote within 24 hours.`,
          )
      : []),
    ...(superpower.raffle !== undefined && texts.some(({ text }) => ASKS_TO_SHARE.test(toWords(text).join(' ')))
      ? ['The platform forbids raffles that ask people to share or to tag another person.']
      : []),
  ]
}

const ASKS_TO_SHARE = /\b(share|tag|compartilhe|marque|comparte|etiqueta)\b/

const nameOf = ({ place, name }: RuleGroup): string => (name ? `Group ${place + 1} (${name})` : `Group ${place + 1}`)

const matchesAll = ({ canMatch, conditions }: RuleGroup): boolean =>
  canMatch && conditions.every((phrases) => phrases === null)

const hasNoEffect = ({ privateReplies, publicReplies, likeProbability, entersRaffle }: RuleGroup): boolean =>
  privateReplies.length === 0 && publicReplies.length === 0 && likeProbability === 0 && !entersRaffle
