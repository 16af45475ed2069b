import type { ConditionGroup, Superpower } from '../../src/interface/generated/types.js'

// An independent interpretation of a superpower for a comment, read directly from its stored form. It shares no
// code with the service.

export type Kind = 'private_reply' | 'public_reply' | 'like'
export const KINDS: readonly Kind[] = ['private_reply', 'public_reply', 'like']

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const wordsOf = (text: string): string =>
  ` ${text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
    .join(' ')} `

type Condition = NonNullable<ConditionGroup['conditions']>[number]

function holds({ values = [], aiValues = [] }: Condition, text: string): boolean {
  if (aiValues.length > 0) return false
  if (values.length === 0 || values.includes('any')) return true
  return values.some((value) => wordsOf(text).includes(wordsOf(String(value))))
}

/** Returns the index of the first group whose conditions are all true. */
export function groupFor({ conditionGroups = [] }: Superpower, text: string): number | null {
  const place = conditionGroups.findIndex(({ conditions = [] }) => conditions.every((each) => holds(each, text)))
  return place === -1 ? null : place
}

/** Returns whether no group can ever match. */
export const isIdle = ({ active, conditionGroups = [] }: Superpower): boolean =>
  active === false ||
  conditionGroups.every(({ conditions = [] }) => conditions.some(({ aiValues = [] }) => aiValues.length > 0))

/** Returns the texts from which one is chosen; empty if the group has no such effect. */
export function textsOf(group: ConditionGroup, kind: Kind): string[] {
  const given = { private_reply: group.privateReplies, public_reply: group.publicReplies, like: undefined }[kind] ?? []
  return given.flatMap(({ text, active }) => (active === false || text === undefined ? [] : [text]))
}

/** Returns the effects for which a matching comment gets a row each. */
export const kindsOf = (group: ConditionGroup): Kind[] =>
  KINDS.filter((kind) =>
    kind === 'like' ? group.autoLike === true && group.autoLikeProbability !== 0 : textsOf(group, kind).length > 0,
  )

/** Returns the probability that a comment that the group answers gets an effect of this kind. */
export const shareOf = (group: ConditionGroup, kind: Kind): number =>
  ({
    private_reply: 1,
    public_reply: group.publicRepliesProbability ?? 1,
    like: group.autoLikeProbability ?? 1,
  })[kind]

/**
 * True if the superpower limits how soon a person may be answered again; otherwise each person gets one private reply
 * on the post.
 */
export const hasTimeLimit = ({ globalTimeLimit = 0 }: Superpower, { timeLimit = 0 }: ConditionGroup): boolean =>
  globalTimeLimit > 0 || timeLimit > 0

export const delayOf = (group: ConditionGroup, kind: Kind): number =>
  HOUR_MS *
  ({ private_reply: group.delayDMReplyInHours, public_reply: group.delayPublicReplyInHours, like: 0 }[kind] ?? 0)

export const addressed = (text: string, name: string): string => text.replaceAll('@[mention_user]', name)

export const asksToStop = (text: string): boolean => ['stop', 'sair'].includes(wordsOf(text).trim())

export const expiresAt = ({ expirationDate = 0 }: Superpower): number =>
  expirationDate === 0 ? Infinity : expirationDate < 100_000_000_000 ? expirationDate * 1000 : expirationDate
