import Joi, { type ObjectSchema } from 'joi'
import { namedObject } from '../http/named.js'

interface EventKind {
  /** Completes "It is sent when …". */
  when: string
  data: Record<string, Joi.Schema>
  /** `data` has one of these, and not the others. */
  either?: string[]
}

const id = Joi.string()
const count = Joi.number().integer()

/** The events that a webhook gets. A test holds the list in docs/notifications.md equal. */
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
    when: 'the platform refuses the access token of a channel or an ad account; once until another one is given',
    data: { channelId: id, adAccountId: id },
    either: ['channelId', 'adAccountId'],
  },
  'key.expiring': {
    when: 'a key ends in 14 days, 3 days or 1 day, once each',
    data: { keyId: id.required(), expiresAt: Joi.string().isoDate().required() },
  },
  'import.finished': {
    when: 'an import of conversations is complete',
    data: {
      channelId: id.required(),
      imported: count.required(),
      erased: count.required().description('Lines that were left out, because their people were forgotten.'),
      rejected: count.required(),
    },
  },
  'superpower.acted': {
    when: 'an effect of a superpower was sent for a comment',
    data: { scheduledPostId: id.required(), channelId: id.required(), commentId: id.required(), effect: id.required() },
  },
  'superpower.stopped': {
    when: 'the superpower of a post was stopped by hand, or the platform stopped a channel',
    data: { channelId: id.required(), scheduledPostId: id.description('Present if one post is meant.') },
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
  test: { when: 'you asked for it', data: {} },
} satisfies Record<string, EventKind>

export interface EventDescription {
  when: string
  /** The body that a webhook gets. */
  body: ObjectSchema
}

const describeEvent = (type: string, { when, data, either = [] }: EventKind): EventDescription => {
  const held = Joi.object(data).required()
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const body = namedObject(`${name}Event`, {
    id: Joi.string().required().description('The same at each attempt and at every webhook: ignore a repeat.'),
    type: Joi.string().valid(type).required(),
    timestamp: Joi.string().isoDate().required().description('When it happened; the same however often it is sent.'),
    organizationId: Joi.string().required(),
    data: either.length === 0 ? held : held.xor(...either),
  })
  return { when, body }
}

/** Each event that is sent, with the schema to which its body is held. */
export const EVENTS = Object.fromEntries(
  Object.entries(KINDS).map(([type, kind]) => [type, describeEvent(type, kind)]),
) as Record<keyof typeof KINDS, EventDescription>

/** Every type of event, the one that is sent by hand last. */
export const EVENT_TYPES = Object.keys(KINDS) as (keyof typeof KINDS)[]
