import type { Condition, ConditionGroup, Raffle, Redirect, Reply, Superpower } from '../interface/generated/types.js'
import { toWords } from './phrase.js'
import { toExpiresAtMs } from './superpower-schema.js'

// The part of a stored superpower that can be executed, in a closed form. The rest is stored, passed through, and listed as
// not executed.

/** The most people to answer, and the shortest time between two answers to the same person. Null means no limit. */
export interface Limits {
  peopleMax: number | null
  periodMs: number | null
}

export interface RuleLink {
  text: string
  url: string
}

export interface RuleReply {
  /** Its place among the stored replies of its group, from 0. */
  place: number
  text: string
  media: { url: string; type: 'IMAGE' } | null
  links: RuleLink[]
}

export interface RuleGroup {
  /** Its place among the stored groups, from 0. Decisions refer to it, because ids change when a post is changed. */
  place: number
  name: string | null
  /** All conditions must match, and each matches if the comment has one of its phrases; null matches every comment. */
  conditions: (readonly (readonly string[])[] | null)[]
  /** False if a condition cannot be executed: the group then matches no comment. */
  canMatch: boolean
  /** All probabilities are from 0 to 1. */
  probability: number
  privateReplies: RuleReply[]
  publicReplies: RuleReply[]
  publicProbability: number
  /** 0 if nothing is liked. */
  likeProbability: number
  limits: Limits
  privateDelayMs: number
  publicDelayMs: number
  entersRaffle: boolean
}

export interface RaffleRule {
  winnersMax: number
  /** Null means from the beginning. */
  startsAtMs: number | null
  endsAtMs: number
  winnersReply: RuleReply | null
  losersReply: RuleReply | null
}

export interface Rule {
  isActive: boolean
  /** Null means never. */
  expiresAtMs: number | null
  groups: RuleGroup[]
  everyone: Limits
  raffle: RaffleRule | null
}

/** Reads what can be executed of a superpower (interface 2.4), whatever odd values it has. */
export const parseRule = (superpower: Superpower): Rule => ({
  // Active unless it says `false`: every field is optional in the interface.
  isActive: superpower.active !== false,
  expiresAtMs: toExpiresAtMs(superpower),
  groups: (superpower.conditionGroups ?? []).map(parseGroup),
  everyone: toLimits(superpower.globalUsersLimit, superpower.globalTimeLimit),
  raffle: parseRaffle(superpower.raffle),
})

const parseGroup = (group: ConditionGroup, place: number): RuleGroup => ({
  place,
  name: group.name ?? null,
  conditions: (group.conditions ?? []).map(toPhrases),
  canMatch: (group.conditions ?? []).every(isExecutable),
  probability: toShare(group.probability),
  privateReplies: toReplies(group.privateReplies),
  // A public reply is only its text.
  publicReplies: toReplies(group.publicReplies).filter(({ text }) => text !== ''),
  publicProbability: toShare(group.publicRepliesProbability),
  likeProbability: group.autoLike === true ? toShare(group.autoLikeProbability) : 0,
  limits: toLimits(group.usersLimit, group.timeLimit),
  privateDelayMs: toMs(group.delayDMReplyInHours),
  publicDelayMs: toMs(group.delayPublicReplyInHours),
  entersRaffle: group.takesPartInRaffle === true,
})

/** Returns whether a condition is of the one kind that is executed: a comment with one of these values. */
export const isExecutable = (condition: Condition): boolean =>
  (condition.conditionType ?? 'USER_ACTION') === 'USER_ACTION' &&
  (condition.userActionType ?? 'COMMENTED') === 'COMMENTED' &&
  (condition.logicalCondition ?? 'ANY_VALUE') === 'ANY_VALUE' &&
  !hasItems(condition.aiValues) &&
  !isSet(condition.socialUserProperty) &&
  !isSet(condition.retentionProperty) &&
  !isSet(condition.dateCondition) &&
  !isSet(condition.userProperty)

export const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** Returns whether a field has any content. */
export const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== false && value !== 0 && !isEmpty(value)

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Returns null, which matches every comment, if there are no values, or only the value `any`. */
function toPhrases({ values }: Condition): string[][] | null {
  const texts = (values ?? []).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [`${value}`] : [],
  )
  if (!hasItems(values) || texts.some((text) => text.trim().toLowerCase() === 'any')) return null
  return texts.map(toWords).filter((words) => words.length > 0)
}

/** Returns the replies that are active and have content. */
const toReplies = (replies: readonly Reply[] | undefined): RuleReply[] =>
  (replies ?? []).flatMap((reply, place) => {
    const parsed = parseReply(reply, place)
    return parsed === null ? [] : [parsed]
  })

/** Returns null for a reply that is inactive or empty. */
function parseReply(reply: Reply | undefined, place: number): RuleReply | null {
  if (reply === undefined || reply.active === false) return null
  const text = (reply.text ?? '').trim()
  const media = isWebAddress(reply.mediaUrl) && (reply.mediaType ?? 'IMAGE') === 'IMAGE' ? reply.mediaUrl! : null
  const links = (reply.redirects ?? []).filter(({ url }: Redirect) => isWebAddress(url))
  if (text === '' && media === null && links.length === 0) return null
  return {
    place,
    text,
    media: media === null ? null : { url: media, type: 'IMAGE' },
    links: links.map(({ text: label, url }) => ({ text: label?.trim() || url!, url: url! })),
  }
}

export const isWebAddress = (url: string | undefined): boolean => url !== undefined && /^https?:\/\//i.test(url)

/** Returns null for a raffle that cannot be drawn: it has no end that is a date, or nobody can win. */
function parseRaffle(raffle: Raffle | undefined): RaffleRule | null {
  const endsAtMs = toInstant(raffle?.endDate)
  if (raffle === undefined || endsAtMs === null || !((raffle.winnersLimit ?? 1) >= 1)) return null
  return {
    winnersMax: Math.floor(raffle.winnersLimit ?? 1),
    startsAtMs: toInstant(raffle.startDate),
    endsAtMs,
    winnersReply: parseReply(raffle.winnersPrivateReply, 0),
    losersReply: parseReply(raffle.looseresPrivateReply, 0),
  }
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i

/**
 * Reads an instant. A date means its start, and a time without a zone is in UTC wherever this runs; null if it is not a
 * date.
 */
export function toInstant(text: string | undefined): number | null {
  const [, date, time = '00:00', zone = 'Z'] = INSTANT.exec(text?.trim() ?? '') ?? []
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  return Number.isFinite(ms) ? ms : null
}

const HOUR_MS = 3_600_000
/** The longest delay or limit, ten years: later instants would no longer be dates. */
const HOURS_MAX = 87_600

const toMs = (hours: number | undefined): number =>
  hours !== undefined && hours > 0 ? Math.round(Math.min(hours, HOURS_MAX) * HOUR_MS) : 0

const toShare = (value: number | undefined): number =>
  value === undefined || Number.isNaN(value) ? 1 : Math.min(1, Math.max(0, value))

const toLimits = (users: number | undefined, hours: number | undefined): Limits => ({
  peopleMax: users !== undefined && users > 0 ? Math.max(1, Math.floor(users)) : null,
  periodMs: toMs(hours) || null,
})
