import type { Condition, ConditionGroup, Reply, Superpower } from '../../interface/superpowers.ts'
import { postWords as words } from './words.ts'

/** A sentence, and what it leads to. */
interface Sentence {
  text: string
  then?: string[]
}

/** A superpower in sentences: what starts it, what it does, how often, until when. */
export function describeSuperpower(superpower: Superpower, formatTime: (ms: number) => string): Sentence[] {
  const { hashtag, conditionGroups = [], raffle, expirationDate, active } = superpower
  const before = [
    ...(active === false ? [words.superpower.inactive] : []),
    ...(hashtag === undefined ? [] : [words.superpower.hashtag(`#${hashtag.replace(/^[\s#]+/, '')}`)]),
  ]
  const after = [
    ...targets(superpower),
    ...(raffle === undefined ? [] : [words.superpower.raffle(raffle.winnersLimit, raffle.endDate)]),
    ...(superpower.globalUsersLimit ? [words.superpower.usersLimit(superpower.globalUsersLimit)] : []),
    ...(expirationDate === undefined || expirationDate === 0
      ? []
      : [words.superpower.expires(formatTime(toMs(expirationDate)))]),
  ]
  const plain = (text: string): Sentence => ({ text })
  return [...before.map(plain), ...conditionGroups.map(describeGroup), ...after.map(plain)]
}

/** The interface reads a date below this number as seconds. */
const toMs = (expirationDate: number): number =>
  Math.abs(expirationDate) < 100_000_000_000 ? expirationDate * 1000 : expirationDate

function describeGroup(group: ConditionGroup): Sentence {
  const when = (group.conditions ?? []).map(describeCondition)
  const then = [
    ...(group.publicReplies ?? []).map((reply) => words.superpower.publicReply(textOf(reply))),
    ...(group.privateReplies ?? []).map((reply) => words.superpower.privateReply(textOf(reply))),
    ...(group.autoLike ? [words.superpower.like] : []),
    ...(group.takesPartInRaffle ? [words.superpower.takesPart] : []),
    ...(group.timeLimit ? [words.superpower.timeLimit(group.timeLimit, group.timeLimitUnit ?? 'HOUR')] : []),
  ]
  return { text: words.superpower.when(when), then }
}

function describeCondition({ userActionType, values = [], logicalCondition }: Condition): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return words.superpower.condition(userActionType ?? '', texts, logicalCondition ?? 'ANY_VALUE')
}

const textOf = ({ text, couponCode, offerName }: Reply): string => text || couponCode || offerName || ''

function targets(superpower: Superpower): string[] {
  const { shareTarget, likeTarget, commentTarget } = superpower
  return [
    ...(superpower.likeTargetEnabled && likeTarget ? [words.superpower.target('like', likeTarget)] : []),
    ...(superpower.commentTargetEnabled && commentTarget ? [words.superpower.target('comment', commentTarget)] : []),
    ...(superpower.shareTargetEnabled && shareTarget ? [words.superpower.target('share', shareTarget)] : []),
  ]
}
