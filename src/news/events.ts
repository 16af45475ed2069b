import Joi, { type ObjectSchema } from 'joi'
import { namedObject } from '../http/named.js'

interface EventKind {
  /** Completes "It is sent when …". */
  when: string
  data: Record<string, Joi.Schema>
  /** `data` has exactly one of these. */
  either?: string[]
}

const id = Joi.string()
const count = Joi.number().integer()

/** The events that webhooks receive. A test compares them with the list in docs/notifications.md. */
const KINDS = {
  'post.failed': {
    when: 'a post could not be published on one or more of its channels',
    data: { scheduledPostId: id.required() },
  },
  'post.waiting_for_approval': {
    when: 'a post waits for a person to approve it',
    data: { scheduledPostId: id.required() },
  },
  'token.refused': {
    when: 'the platform refuses the access token of a channel or an ad account; sent once until the token is replaced',
    data: { channelId: id, adAccountId: id },
    either: ['channelId', 'adAccountId'],
  },
  'key.expiring': {
    when: 'a key expires in 14 days, 3 days or 1 day, once each',
    data: { keyId: id.required(), expiresAt: Joi.string().isoDate().required() },
  },
  'import.finished': {
    when: 'an import of conversations has finished',
    data: {
      channelId: id.required(),
      imported: count.required(),
      erased: count.required().description('Lines that were skipped because their people were erased.'),
      rejected: count.required(),
    },
  },
  'superpower.acted': {
    when: 'an effect of a superpower was sent for a comment',
    data: { scheduledPostId: id.required(), channelId: id.required(), commentId: id.required(), effect: id.required() },
  },
  'superpower.stopped': {
    when: 'the superpower of a post was stopped by hand, or the platform stopped a channel',
    data: { channelId: id.required(), scheduledPostId: id.description('Present if a single post is concerned.') },
  },
  'raffle.drawn': {
    when: 'the winners of a raffle are drawn',
    data: {
      scheduledPostId: id.required(),
      channelId: id.required(),
      entrants: count.required(),
      winners: count.required(),
    },
  },
  test: { when: 'you request it', data: {} },
} satisfies Record<string, EventKind>

export interface EventDescription {
  when: string
  /** The body that a webhook receives. */
  body: ObjectSchema
}

const describeEvent = (type: string, { when, data, either = [] }: EventKind): EventDescription => {
  const held = Joi.object(data).required()
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const body = namedObject(`${name}Event`, {
    id: Joi.string().required().description('The same at each attempt and for every webhook: ignore repeats.'),
    type: Joi.string().valid(type).required(),
    timestamp: Joi.string().isoDate().required().description('When the event happened; the same at each attempt.'),
    organizationId: Joi.string().required(),
    data: either.length === 0 ? held : held.xor(...either),
  })
  return { when, body }
}

/** Every event with the schema of its body. */
export const EVENTS = Object.fromEntries(
  Object.entries(KINDS).map(([type, kind]) => [type, describeEvent(type, kind)]),
) as Record<keyof typeof KINDS, EventDescription>

/** Every type of event; the one that is only sent on request comes last. */
export const EVENT_TYPES = Object.keys(KINDS) as (keyof typeof KINDS)[]
