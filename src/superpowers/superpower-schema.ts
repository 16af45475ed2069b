import Joi, { type Schema } from 'joi'
import { namedObject } from '../http/named.js'
import type { ConditionGroup, Raffle, Redirect, Reply, Superpower } from '../interface/generated/types.js'
import { toNormalForm } from '../interface/normal-form.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'

/** Long enough for any hashtag, short enough for the key of an index. */
const HASHTAG_CHARS_MAX = 200

const TEXT_CHARS_MAX = limit('superpowerTextChars')
const ITEMS_MAX = limit('superpowerItems')
const VALUES_MAX = limit('superpowerValues')

const text = Joi.string().allow('').max(TEXT_CHARS_MAX)
// Also used for an enumeration of which the interface shows one value: any is accepted.
const id = Joi.string().max(TEXT_CHARS_MAX)
const url = id.uri()
const flag = Joi.boolean()
const number = Joi.number()
const integer = number.integer()
const hashtag = Joi.string()
  .max(HASHTAG_CHARS_MAX)
  .custom((value: string, helpers) => (toLookupHashtag(value) === '' ? helpers.error('string.empty') : value))
const object = Joi.object()
const listOf = (item: Schema) => Joi.array().items(item).max(ITEMS_MAX)
const objects = listOf(object)
const values = Joi.array().items(Joi.any()).max(VALUES_MAX)

// interface 2.4. Every field is optional; an absent one stays absent.

const redirect = namedObject('Redirect', {
  id,
  text,
  description: text,
  url,
  d10xUrl: text,
  payload: text,
  topicId: text,
  action: text,
  followUpReplies: objects,
})
const redirects = listOf(redirect)

const reply = namedObject('Reply', {
  id,
  text,
  media: text,
  mediaUrl: text,
  attachmentId: text,
  subtitle: text,
  couponCode: text,
  couponExpireTime: text,
  offerName: text,
  greetingText: text,
  scope: id,
  broadcastMessageType: id,
  mediaType: id,
  like: flag,
  isAIGenerated: flag,
  isAiGeneratedEdited: flag,
  active: flag,
  redirects,
  carouselItems: objects,
})
const replies = listOf(reply)

const condition = namedObject('Condition', {
  conditionType: id,
  userActionType: id,
  values,
  aiValues: values,
  logicalCondition: id,
  socialUserProperty: text,
  retentionProperty: text,
  dateCondition: text,
  userProperty: object,
})
const conditions = listOf(condition)

const conditionGroup = namedObject('ConditionGroup', {
  groupId: id,
  name: text,
  link: text,
  linkName: text,
  note: text,
  publicRepliesPrompt: text,
  privateRepliesPrompt: text,
  conditions,
  publicReplies: replies,
  privateReplies: replies,
  autoLike: flag,
  takesPartInRaffle: flag,
  detectSentiment: flag,
  useGenerateRepliesApi: flag,
  useSuggestedKeywords: flag,
  autoLikeProbability: number,
  probability: number,
  publicRepliesProbability: number,
  usersLimit: number,
  timeLimit: number,
  delayDMReplyInHours: number,
  delayPublicReplyInHours: number,
  timeLimitUnit: id,
})
const conditionGroups = listOf(conditionGroup)

const raffle = namedObject('Raffle', {
  winnersLimit: integer.min(1),
  startDate: text,
  endDate: text,
  endedComment: object,
  winnersPrivateReply: reply,
  looseresPrivateReply: reply,
  endedPublicReplies: replies,
})

export const superpowerSchema = namedObject('Superpower', {
  creativeTemplateId: text,
  creativeTemplateName: text,
  id,
  name: text,
  hashtag,
  // Derived from hashtag, whatever the caller sends.
  lookupHashtag: text,
  thumbnail: text,
  notes: text,
  note: text,
  caption: text,
  active: flag,
  expirationDate: integer.description(
    'Milliseconds since the epoch; a number below 100,000,000,000 counts as seconds. Never if 0 or absent.',
  ),
  templateType: id,
  conditionalTemplateType: id,
  conditionGroups,
  raffle,
  shareTarget: integer,
  likeTarget: integer,
  commentTarget: integer,
  globalUsersLimit: integer,
  globalTimeLimit: integer,
  shareTargetEnabled: flag,
  likeTargetEnabled: flag,
  commentTargetEnabled: flag,
  overrideTrollBuster: flag,
  overrideMasterSupport: flag,
})

/** An expirationDate below this is in seconds: in milliseconds it would be before March 1973. */
const SECONDS_BELOW = 100_000_000_000

/** Returns when a superpower expires, in milliseconds since the epoch; null for never, which 0 means too. */
export function toExpiresAtMs({ expirationDate }: Superpower): number | null {
  if (expirationDate === undefined || expirationDate === 0) return null
  return Math.abs(expirationDate) < SECONDS_BELOW ? expirationDate * 1000 : expirationDate
}

/**
 * Returns the form in which hashtags are compared: `" #Été"` and `"été"` are the same hashtag, and so are those that differ
 * in full-width letters or in invisible characters. A claim in an earlier form stays until its post is changed.
 */
export function toLookupHashtag(hashtag: string): string {
  const text = toNormalForm(hashtag, 'NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/^[\s#]+/, '')
    .trim()
    .toLowerCase()
  return toNormalForm(text, 'NFKC')
}

/**
 * Returns the superpower as it is stored: with the hashtag's lookup form, and an id wherever one was missing. Given ids
 * stay. A part with the same content as a part of `stored` gets that part's id, so that sending a superpower again without
 * ids changes nothing.
 */
export function completeSuperpower({ lookupHashtag: _, ...given }: Superpower, stored?: Superpower | null): Superpower {
  const { hashtag } = given
  const whole: Superpower = {
    ...given,
    id: idOf(given, stored ?? undefined, 'sp'),
    ...(hashtag === undefined ? {} : { lookupHashtag: toLookupHashtag(hashtag) }),
  }
  return completeParts(whole, stored, { conditionGroups: each(completeGroup), raffle: completeRaffle })
}

function completeGroup(group: ConditionGroup, stored?: ConditionGroup): ConditionGroup {
  const groupId = group.groupId ?? (isSame(group, stored) ? stored?.groupId : undefined) ?? newId('group')
  const replies = each(completeReply)
  return completeParts({ ...group, groupId }, stored, { publicReplies: replies, privateReplies: replies })
}

const completeRaffle = (raffle: Raffle, stored?: Raffle): Raffle =>
  completeParts(raffle, stored, {
    winnersPrivateReply: completeReply,
    looseresPrivateReply: completeReply,
    endedPublicReplies: each(completeReply),
  })

const completeReply = (reply: Reply, stored?: Reply): Reply =>
  completeParts({ ...reply, id: idOf(reply, stored, 'reply') }, stored, { redirects: each(completeRedirect) })

const completeRedirect = (redirect: Redirect, stored?: Redirect): Redirect => ({
  ...redirect,
  id: idOf(redirect, stored, 'redirect'),
})

type Complete<Part> = (given: Part, stored?: Part) => Part

/** Completes the given parts among the named ones, each with the stored one. */
function completeParts<Whole extends object>(
  given: Whole,
  stored: Whole | null | undefined,
  parts: { [Name in keyof Whole]?: Complete<NonNullable<Whole[Name]>> },
): Whole {
  const completed = { ...given }
  for (const name of Object.keys(parts) as (keyof Whole)[]) {
    const part = given[name]
    if (part != null) completed[name] = parts[name]!(part, stored?.[name] ?? undefined)
  }
  return completed
}

const idOf = <Part extends { id?: string }>(given: Part, stored: Part | undefined, prefix: string): string =>
  given.id ?? (isSame(given, stored) ? stored?.id : undefined) ?? newId(prefix)

/** Completes each part with the stored part of the same content, which is used once, or else with the one at its place. */
const each =
  <Part>(complete: Complete<Part>): Complete<Part[]> =>
  (given, stored = []) => {
    const unused = new Map<string, Part[]>()
    for (const part of stored) {
      const content = contentOf(part)
      const same = unused.get(content)
      if (same === undefined) unused.set(content, [part])
      else same.push(part)
    }
    return given.map((part, index) => complete(part, unused.get(contentOf(part))?.shift() ?? stored[index]))
  }

/** Returns whether both have the same content, apart from ids. */
const isSame = (given: unknown, stored: unknown): boolean =>
  stored !== undefined && contentOf(given) === contentOf(stored)

/** Returns the content without ids; equal for equal content, whatever the order of the keys. */
const contentOf = (value: unknown): string => JSON.stringify(value, withoutIds)

function withoutIds(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const { id: _, groupId: __, lookupHashtag: ___, ...rest } = value as Record<string, unknown>
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))
}
