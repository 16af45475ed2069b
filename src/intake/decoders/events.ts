import { limit } from '../../lib/limits.js'
import type { Decode, DecoderOptions, Fact, FoundFact, FoundProblem, OutsideId } from '../facts.js'
import {
  asList,
  asObject,
  checkDepth,
  isObject,
  type Json,
  knownFields,
  parseInstant,
  parseJson,
  readAmount,
  readBirthday,
  readCurrency,
  readId,
  readInstant,
  readName,
  readOutsideId,
  readPicture,
  reasonOf,
  shown,
  Unreadable,
} from './values.js'

const EVENT_BYTES_MAX = limit('eventBytes')
/** Ids of one person in other systems, of which each becomes a fact. */
const EXTERNAL_IDS_MAX = 100

interface EventScope extends DecoderOptions {
  receivedAt: number
  /** The time of the batch, for events that have none. */
  sentAt: unknown
  /** The context of the batch, for what an event's own context does not say. */
  context: Json
}

/** An event with its times and people read. */
interface Event {
  body: Json
  properties: Json
  /** The person: the userId, or else the anonymousId. */
  who: OutsideId | undefined
  userId: OutsideId | undefined
  anonymousId: OutsideId | undefined
  at: number
  messageId: string | undefined
}

/** Reads events as the SDKs of Segment and RudderStack send them: one, or a batch. */
export const decodeEvents: Decode = ({ topic, body, receivedAt }, options) => {
  const facts: FoundFact[] = []
  const problems: FoundProblem[] = []
  let delivery: unknown
  try {
    delivery = parseJson(body)
  } catch (error) {
    return {
      facts,
      problems: [
        {
          item: '',
          reason: error instanceof Unreadable ? error.message : `The delivery is not JSON: ${reasonOf(error)}.`,
        },
      ],
    }
  }
  const whole = asObject(delivery)
  const isBatch = Array.isArray(whole.batch)
  const scope: EventScope = { ...options, receivedAt, sentAt: whole.sentAt, context: asObject(whole.context) }
  const events = isBatch ? (whole.batch as unknown[]) : [delivery]
  const isLarge = body.length > EVENT_BYTES_MAX
  events.forEach((event, index) => {
    const item = isBatch ? `batch[${index}]` : ''
    try {
      checkDepth(event)
      if (!isObject(event)) throw new Unreadable(`An event must be a JSON object, not ${shown(event)}.`)
      if (isLarge && Buffer.byteLength(JSON.stringify(event)) > EVENT_BYTES_MAX) {
        throw new Unreadable(`The event has more than ${EVENT_BYTES_MAX / 1024} KiB.`)
      }
      const type = typeof event.type === 'string' ? event.type.toLowerCase() : isBatch ? undefined : topic
      for (const fact of readEvent(type ?? undefined, event, scope)) facts.push({ item, fact })
    } catch (error) {
      problems.push({ item, reason: reasonOf(error) })
    }
  })
  return { facts, problems }
}

function readEvent(type: string | undefined, body: Json, scope: EventScope): Fact[] {
  const userId = readOutsideId('userId', body.userId, 'userId')
  const anonymousId = readOutsideId('anonymousId', body.anonymousId, 'anonymousId')
  const event: Event = {
    body,
    properties: asObject(body.properties),
    userId,
    anonymousId,
    who: userId ?? anonymousId,
    at: timeOf(body, scope),
    messageId: readId(body.messageId, 'messageId'),
  }
  switch (type) {
    case 'track':
      return readTrack(event, scope)
    case 'identify':
      return readIdentify(event, scope.context)
    case 'alias':
      return readAlias(event)
    case 'screen':
      return appOpen(event)
    case 'page':
    case 'group':
      return []
    default:
      throw new Unreadable(
        `The type of an event must be track, identify, page, screen, group or alias, not ${shown(type)}.`,
      )
  }
}

/** The sender's clock may be wrong: only the time between the event and its sending is taken from it. */
function timeOf(body: Json, { receivedAt, sentAt: sentAtOfBatch }: EventScope): number {
  const given = body.originalTimestamp ?? body.timestamp
  const happened =
    given === undefined || given === null
      ? receivedAt
      : readInstant(given, 'timestamp', receivedAt + 86_400_000 * 36_500)
  const sentAt = parseInstant(body.sentAt ?? sentAtOfBatch)
  const at = sentAt === undefined ? happened : receivedAt - Math.max(0, sentAt - happened)
  return readInstant(at, 'timestamp', receivedAt)
}

const nameOf = (value: unknown): string => (typeof value === 'string' ? value.trim().toLowerCase() : '')

function readTrack(event: Event, scope: EventScope): Fact[] {
  switch (nameOf(event.body.event)) {
    case 'order completed':
    case 'completed order':
      return [readOrder(event, scope)]
    case 'order refunded':
    case 'refunded order':
      return [readRefund(event)]
    case 'order cancelled':
    case 'cancelled order':
      return [{ type: 'refund', orderId: orderIdOf(event), refundId: 'cancelled', at: event.at }]
    case 'application opened':
      return appOpen(event)
    default:
      return []
  }
}

const appOpen = ({ who, at }: Event): Fact[] => (who === undefined ? [] : [{ type: 'appOpen', who, at }])

function orderIdOf({ properties, messageId }: Event, fallsBack = false): string {
  const given = readId(properties.order_id ?? properties.orderId, 'order_id') ?? (fallsBack ? messageId : undefined)
  if (given === undefined) throw new Unreadable('The event names no order: send order_id.')
  return given
}

function readOrder(event: Event, { valueFrom }: EventScope): Fact {
  const { properties, who, at } = event
  const { total, revenue, value } = properties
  const amount = (valueFrom === 'total' ? [total, revenue, value] : [revenue, total, value]).find(
    (given) => given !== undefined && given !== null,
  )
  return {
    type: 'purchase',
    orderId: orderIdOf(event, true),
    who,
    amount: readAmount(amount, 'total'),
    currency: readCurrency(properties.currency, 'currency'),
    at,
    versionAt: at,
    isTest: false,
    isCancelled: false,
  }
}

/** Without an amount all of the order is refunded. */
function readRefund(event: Event): Fact {
  const { properties, messageId, at } = event
  const given = properties.total ?? properties.revenue ?? properties.value
  const refundId = readId(properties.refund_id ?? properties.refundId, 'refund_id') ?? messageId
  if (refundId === undefined) throw new Unreadable('The refund has no id: send messageId or refund_id.')
  return {
    type: 'refund',
    orderId: orderIdOf(event),
    refundId,
    amount: given === undefined || given === null ? undefined : readAmount(given, 'total'),
    at,
  }
}

/** The parts are looked up, not copied: the context of a batch may be large, and each of its events has it. */
function readIdentify(event: Event, shared: Json): Fact[] {
  const { body, who, userId, anonymousId, at } = event
  if (who === undefined) throw new Unreadable('The event names no one: send userId or anonymousId.')
  const own = asObject(body.context)
  const contextual = (name: string): unknown => (Object.hasOwn(own, name) ? own[name] : shared[name])
  const [traits, general] = [asObject(body.traits), asObject(contextual('traits'))]
  const fields = readTraits((name) => (Object.hasOwn(traits, name) ? traits[name] : general[name]))
  const facts: Fact[] = Object.keys(fields).length === 0 ? [] : [{ type: 'profile', who, fields, at }]
  const ids: OutsideId[] = [userId, anonymousId].filter((outside) => outside !== undefined)
  // RudderStack calls the same list externalId.
  const [externalIds, externalId] = [asList(contextual('externalIds')), asList(contextual('externalId'))]
  if (externalIds.length + externalId.length > EXTERNAL_IDS_MAX) {
    throw new Unreadable(`The event names more than ${EXTERNAL_IDS_MAX} externalIds of one person.`)
  }
  for (const external of [...externalIds, ...externalId].map(asObject)) {
    const { type } = external
    if (type === 'shopify' || type === 'woocommerce') {
      const outside = readOutsideId(type, external.id, 'externalIds')
      if (outside !== undefined) ids.push(outside)
    }
    const conversationId = type === 'conversation' ? readId(external.id, 'externalIds') : undefined
    if (conversationId !== undefined) facts.push({ type: 'linkConversation', who, conversationId, at })
  }
  return ids.length > 1 ? [...facts, { type: 'link', ids, at }] : facts
}

function readTraits(trait: (name: string) => unknown) {
  const whole = readName(trait('name'))
  const [first, ...others] = whole?.split(/\s+/) ?? []
  const firstName = readName(trait('firstName') ?? trait('first_name'))
  const lastName = readName(trait('lastName') ?? trait('last_name'))
  const isSplit = firstName === undefined && lastName === undefined
  return knownFields({
    firstName: isSplit ? first : firstName,
    lastName: isSplit ? readName(others.join(' ')) : lastName,
    userName: readName(trait('username') ?? trait('userName')),
    profilePic: readPicture(trait('avatar')),
    birthday: readBirthday(trait('birthday')),
  })
}

/** The earlier id may be an anonymous one, or one with which the person was known before. */
function readAlias({ body, userId, anonymousId, at }: Event): Fact[] {
  const previous = (readOutsideId('anonymousId', body.previousId, 'previousId') ?? anonymousId)?.id
  if (userId === undefined || previous === undefined) {
    throw new Unreadable('An alias takes userId and previousId.')
  }
  if (previous === userId.id) return []
  return [
    {
      type: 'link',
      ids: [userId, { kind: 'anonymousId', id: previous }, { kind: 'userId', id: previous }],
      at,
    },
  ]
}
