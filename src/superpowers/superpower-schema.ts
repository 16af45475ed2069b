import Joi, { type ObjectSchema, type Schema } from 'joi'
import { named } from '../http/named.js'
import { toNormalForm } from '../interface/normal-form.js'
import {
  CONDITION_FIELDS,
  CONDITION_GROUP_FIELDS,
  type Condition,
  type ConditionGroup,
  type Free,
  RAFFLE_FIELDS,
  type Raffle,
  REDIRECT_FIELDS,
  REPLY_FIELDS,
  type Redirect,
  type Reply,
  SUPERPOWER_FIELDS,
  type Superpower,
  type SuperpowerKinds,
} from '../interface/superpowers.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'

/** Long enough for any hashtag, short enough for a key of an index. */
const HASHTAG_CHARS_MAX = 200

const TEXT_CHARS_MAX = limit('superpowerTextChars')
const ITEMS_MAX = limit('superpowerItems')
const VALUES_MAX = limit('superpowerValues')

const filledText = Joi.string().max(TEXT_CHARS_MAX)
const integer = Joi.number().integer()
const freeObject = Joi.object<Free>()
const listOf = (item: Schema) => Joi.array().items(item).max(ITEMS_MAX)

const SIMPLE_KINDS = {
  id: filledText,
  text: Joi.string().allow('').max(TEXT_CHARS_MAX),
  // Any value is as good as the one that the interface shows.
  value: filledText,
  url: filledText.uri(),
  hashtag: Joi.string()
    .max(HASHTAG_CHARS_MAX)
    .custom((value: string, helpers) => (toLookupHashtag(value) === '' ? helpers.error('string.empty') : value)),
  flag: Joi.boolean(),
  number: Joi.number(),
  integer,
  count: integer.min(1),
  instant: integer.description('Milliseconds since the epoch, or below 100,000,000,000 seconds; 0 or absent: never.'),
  values: Joi.array().items(Joi.any()).max(VALUES_MAX),
  object: freeObject,
  objects: listOf(freeObject),
}

/** The schema of a table of fields. `parts` are the kinds that have a table of their own. */
function schemaOf<Whole>(
  name: string,
  fields: Record<string, keyof SuperpowerKinds>,
  parts: Partial<SchemasOfKinds> = {},
): ObjectSchema<Whole> {
  const kinds: Partial<SchemasOfKinds> = { ...SIMPLE_KINDS, ...parts }
  return named(name, Joi.object(Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, kinds[kind]]))))
}

type SchemasOfKinds = Record<keyof SuperpowerKinds, Schema>

const redirectSchema = schemaOf<Redirect>('Redirect', REDIRECT_FIELDS)
const replySchema = schemaOf<Reply>('Reply', REPLY_FIELDS, { redirects: listOf(redirectSchema) })
const replies = listOf(replySchema)
const conditionSchema = schemaOf<Condition>('Condition', CONDITION_FIELDS)
const conditionGroupSchema = schemaOf<ConditionGroup>('ConditionGroup', CONDITION_GROUP_FIELDS, {
  conditions: listOf(conditionSchema),
  replies,
})
const raffleSchema = schemaOf<Raffle>('Raffle', RAFFLE_FIELDS, { reply: replySchema, replies })

export const superpowerSchema = schemaOf<Superpower>('Superpower', SUPERPOWER_FIELDS, {
  conditionGroups: listOf(conditionGroupSchema),
  raffle: raffleSchema,
})

/** Below this an expirationDate is in seconds: in milliseconds it would lie before March 1973. */
const SECONDS_BELOW = 100_000_000_000

/** When a superpower expires, in milliseconds since the epoch; null: never, which 0 says as well. */
export function toExpiresAtMs({ expirationDate }: Superpower): number | null {
  if (expirationDate === undefined || expirationDate === 0) return null
  return Math.abs(expirationDate) < SECONDS_BELOW ? expirationDate * 1000 : expirationDate
}

/**
 * The form in which hashtags are compared: `" #Été"` and `"été"` are one hashtag, and so are those that differ in full-width
 * letters or in invisible characters. A claim of an earlier form stays as it is until its post is changed.
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
 * The superpower as it is stored: with the hashtag's lookup form, and an id wherever one was missing. Given ids stay; what
 * has the content of a part of `stored` gets that part's id, so that sending a superpower again without ids changes nothing.
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

/** Completes those of the named parts that are given, each with the stored one. */
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

/** Completes each part with the stored part of the same content, which serves once, or else with the one at its place. */
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

/** Tells whether both have the same content, ids aside. */
const isSame = (given: unknown, stored: unknown): boolean =>
  stored !== undefined && contentOf(given) === contentOf(stored)

/** The content without ids: equal for equal content, whatever the order of the keys. */
const contentOf = (value: unknown): string => JSON.stringify(value, withoutIds)

function withoutIds(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const { id: _, groupId: __, lookupHashtag: ___, ...rest } = value as Record<string, unknown>
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))
}
