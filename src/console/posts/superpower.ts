import type { Condition, ConditionGroup, Reply, Superpower } from '../../interface/generated/types.ts'
import { formatInstant } from '../times.ts'
import { postWords } from './words.ts'

const words = postWords.superpower

/** A sentence, and what it leads to. */
interface Sentence {
  text: string
  then?: string[]
}

/** A superpower in sentences: what starts it, what it does, how often, until when. */
export function describeSuperpower(superpower: Superpower, timeZone: string): Sentence[] {
  const { hashtag, conditionGroups = [], raffle, globalUsersLimit, expirationDate, active } = superpower
  const target = (what: string, isEnabled: boolean | undefined, many: number | undefined) =>
    isEnabled && many && words.target(what, many)
  const before = given(
    active === false && words.inactive,
    hashtag !== undefined && words.hashtag(`#${hashtag.replace(/^[\s#]+/, '')}`),
  )
  const after = given(
    target('like', superpower.likeTargetEnabled, superpower.likeTarget),
    target('comment', superpower.commentTargetEnabled, superpower.commentTarget),
    target('share', superpower.shareTargetEnabled, superpower.shareTarget),
    raffle && words.raffle(raffle.winnersLimit, raffle.endDate),
    globalUsersLimit && words.usersLimit(globalUsersLimit),
    expirationDate && words.expires(formatInstant(toMs(expirationDate), timeZone)),
  )
  const plain = (text: string): Sentence => ({ text })
  return [...before.map(plain), ...conditionGroups.map(describeGroup), ...after.map(plain)]
}

/** The sentences that there are. */
const given = (...sentences: (string | false | 0 | undefined)[]): string[] =>
  sentences.filter((sentence) => typeof sentence === 'string')

/** The interface reads a date below this number as seconds. */
const toMs = (expirationDate: number): number =>
  Math.abs(expirationDate) < 100_000_000_000 ? expirationDate * 1000 : expirationDate

function describeGroup(group: ConditionGroup): Sentence {
  const then = given(
    ...(group.publicReplies ?? []).map((reply) => words.publicReply(textOf(reply))),
    ...(group.privateReplies ?? []).map((reply) => words.privateReply(textOf(reply))),
    group.autoLike && words.like,
    group.takesPartInRaffle && words.takesPart,
    group.timeLimit && words.timeLimit(group.timeLimit, group.timeLimitUnit ?? 'HOUR'),
  )
  return { text: words.when((group.conditions ?? []).map(describeCondition)), then }
}

function describeCondition({ userActionType, values = [], logicalCondition }: Condition): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return words.condition(userActionType ?? '', texts, logicalCondition ?? 'ANY_VALUE')
}

const textOf = ({ text, couponCode, offerName }: Reply): string => text || couponCode || offerName || ''
