import type { Condition, ConditionGroup, Reply, Superpower } from '../../interface/generated/types.ts'
import { formatInstant } from '../times.ts'
import { list } from '../wording.ts'
import { posts as postWords, superpowers } from '../words.ts'

const words = postWords.superpower

/** A sentence and its consequences. */
interface Sentence {
  text: string
  then?: string[]
}

/** Describes a superpower: what triggers it, what it does, how often, and until when. */
export function describeSuperpower(superpower: Superpower, timeZone: string): Sentence[] {
  const { hashtag, conditionGroups = [], raffle, globalUsersLimit, expirationDate, active } = superpower
  const target = (what: string, isEnabled: boolean | undefined, many: number | undefined) =>
    isEnabled && many && words.target({ what, many })
  const before = given(
    active === false && words.inactive,
    hashtag !== undefined && words.hashtag({ hashtag: `#${hashtag.replace(/^[\s#]+/, '')}` }),
  )
  const after = given(
    target('like', superpower.likeTargetEnabled, superpower.likeTarget),
    target('comment', superpower.commentTargetEnabled, superpower.commentTarget),
    target('share', superpower.shareTargetEnabled, superpower.shareTarget),
    raffle && words.raffle({ winners: raffle.winnersLimit, end: raffle.endDate || undefined }),
    globalUsersLimit && words.usersLimit({ many: globalUsersLimit }),
    expirationDate && words.expires({ time: formatInstant(toMs(expirationDate), timeZone) }),
  )
  const plain = (text: string): Sentence => ({ text })
  return [...before.map(plain), ...conditionGroups.map(describeGroup), ...after.map(plain)]
}

/** Drops absent sentences. */
const given = (...sentences: (string | false | 0 | undefined)[]): string[] =>
  sentences.filter((sentence) => typeof sentence === 'string')

/** The interface reads smaller numbers as seconds. */
const toMs = (expirationDate: number): number =>
  Math.abs(expirationDate) < 100_000_000_000 ? expirationDate * 1000 : expirationDate

function describeGroup(group: ConditionGroup): Sentence {
  const then = given(
    ...(group.publicReplies ?? []).map((reply) => words.publicReply({ text: textOf(reply) || undefined })),
    ...(group.privateReplies ?? []).map((reply) => words.privateReply({ text: textOf(reply) || undefined })),
    group.autoLike && words.like,
    group.takesPartInRaffle && words.takesPart,
    group.timeLimit && words.timeLimit({ many: group.timeLimit, unit: (group.timeLimitUnit ?? 'HOUR').toLowerCase() }),
  )
  const conditions = (group.conditions ?? []).map(describeCondition)
  if (conditions.length === 0) return { text: words.always, then }
  const all = conditions.reduce((first, next) => words.either({ first, next }))
  return { text: words.when({ conditions: all }), then }
}

function describeCondition({ userActionType, values = [], logicalCondition }: Condition): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  const does = textOfAction(userActionType ?? '')
  if (texts.length === 0) return does
  const quoted = list(texts.map((text) => words.quote({ text })))
  return (logicalCondition ?? 'ANY_VALUE') === 'ANY_VALUE'
    ? words.withAny({ does, values: quoted })
    : words.withAll({ does, values: quoted })
}

const textOfAction = (action: string): string =>
  (superpowers.actions as Readonly<Record<string, string>>)[action] ??
  (action === '' ? words.reacts : words.otherAction({ action }))

const textOf = ({ text, couponCode, offerName }: Reply): string => text || couponCode || offerName || ''
