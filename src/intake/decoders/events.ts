import type { Decode, DecoderOptions, ExternalId, Fact, FoundFact, FoundProblem } from '../facts.js'
import {
  type Context,
  type EventFields,
  EXTERNAL_IDS_MAX,
  type PickedDelivery,
  pickDelivery,
  reasonOfLeftOut,
  type Traits,
} from './event-fields.js'
import { readPart } from './order-states.js'
import {
  asObject,
  firstGiven,
  isNothing,
  isObject,
  knownFields,
  parseInstant,
  parseJson,
  readAmount,
  readBirthday,
  readCurrency,
  readFirstInstant,
  readId,
  readInstant,
  readName,
  readOutsideId,
  readPicture,
  reasonOf,
  shown,
  Unreadable,
} from './values.js'

interface EventScope extends DecoderOptions {
  receivedAt: number
  /** The time of the batch, for events without one. */
  sentAt: unknown
  /** Collects the unreadable parts of an event; the rest is used. */
  problems: FoundProblem[]
}

/** An event with its times and people parsed. */
interface Event {
  body: EventFields
  properties: NonNullable<EventFields['properties']>
  /** The person: the userId, or else the anonymousId. */
  who: ExternalId | undefined
  userId: ExternalId | undefined
  anonymousId: ExternalId | undefined
  at: number
  messageId: string | undefined
}

/** Reads events as the SDKs of Segment and RudderStack send them: one, or a batch. */
export const decodeEvents: Decode = ({ topic, body, receivedAt }, options) => {
  const facts: FoundFact[] = []
  const problems: FoundProblem[] = []
  let delivery: PickedDelivery
  try {
    delivery = pickDelivery(parseJson(body), body.length)
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : `The delivery is not JSON: ${reasonOf(error)}.`
    return { facts, problems: [{ item: '', reason }] }
  }
  const { isBatch, events, sentAt, context: shared } = delivery
  const scope = { ...options, receivedAt, sentAt }
  events.forEach((event, index) => {
    const item = isBatch ? `batch[${index}]` : ''
    try {
      if (!isObject(event)) throw new Unreadable(`An event must be a JSON object, not ${shown(event)}.`)
      const fields: EventFields = event
      const leftOut = reasonOfLeftOut(fields.leftOut)
      if (leftOut !== undefined) throw new Unreadable(leftOut)
      const context: Context = { ...asObject(shared), ...asObject(fields.context) }
      const type = typeof fields.type === 'string' ? fields.type.toLowerCase() : isBatch ? undefined : topic
      const unread: FoundProblem[] = []
      const found = readEvent(type ?? undefined, { ...fields, context }, { ...scope, problems: unread })
      for (const fact of found) facts.push({ item, fact })
      for (const { reason } of unread) problems.push({ item, reason })
    } catch (error) {
      problems.push({ item, reason: reasonOf(error) })
    }
  })
  return { facts, problems }
}

function readEvent(type: string | undefined, body: EventFields, scope: EventScope): Fact[] {
  const { problems } = scope
  const userId = readOutsideId('userId', body.userId, 'userId')
  const readAnonymousId = () => readOutsideId('anonymousId', body.anonymousId, 'anonymousId')
  const anonymousId = userId === undefined ? readAnonymousId() : readPart(problems, '', readAnonymousId, undefined)
  const event: Event = {
    body,
    properties: asObject(body.properties) as Event['properties'],
    userId,
    anonymousId,
    who: userId ?? anonymousId,
    at: timeOf(body, scope),
    messageId: readPart(problems, '', () => readId(body.messageId, 'messageId'), undefined),
  }
  switch (type) {
    case 'track':
      return readTrack(event, scope)
    case 'identify':
      return readIdentify(event, scope)
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

/**
 * Returns the time of an event. The sender's clock may be wrong, so only the time between the event and its sending is used.
 */
function timeOf(body: EventFields, { receivedAt, sentAt: sentAtOfBatch }: EventScope): number {
  const given = [body.originalTimestamp, body.timestamp]
  const happened = given.every(isNothing)
    ? receivedAt
    : readFirstInstant(given, 'timestamp', receivedAt + 86_400_000 * 36_500)
  const sentAt = parseInstant(firstGiven(body.sentAt, sentAtOfBatch))
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
  const given =
    readId(firstGiven(properties.order_id, properties.orderId), 'order_id') ?? (fallsBack ? messageId : undefined)
  if (given === undefined) throw new Unreadable('The event has no order id: send order_id.')
  return given
}

function readOrder(event: Event, { valueFrom }: EventScope): Fact {
  const { properties, who, at } = event
  const { total, revenue, value } = properties
  const amount = valueFrom === 'total' ? firstGiven(total, revenue, value) : firstGiven(revenue, total, value)
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

/** Without an amount, the whole order is refunded. */
function readRefund(event: Event): Fact {
  const { properties, messageId, at } = event
  const given = firstGiven(properties.total, properties.revenue, properties.value)
  const refundId = readId(firstGiven(properties.refund_id, properties.refundId), 'refund_id') ?? messageId
  if (refundId === undefined) throw new Unreadable('The refund has no id: send messageId or refund_id.')
  return {
    type: 'refund',
    orderId: orderIdOf(event),
    refundId,
    amount: given === undefined ? undefined : readAmount(given, 'total'),
    at,
  }
}

function readIdentify(event: Event, { problems }: EventScope): Fact[] {
  const { body, who, userId, anonymousId, at } = event
  if (who === undefined) throw new Unreadable('The event names no person: send userId or anonymousId.')
  const { context = {} } = body
  const fields = readTraits({ ...asObject(context.traits), ...asObject(body.traits) })
  const facts: Fact[] = Object.keys(fields).length === 0 ? [] : [{ type: 'profile', who, fields, at }]
  const ids: ExternalId[] = [userId, anonymousId].filter((outside) => outside !== undefined)
  const externals = [...(context.externalIds ?? []), ...(context.externalId ?? [])]
  if (externals.length > EXTERNAL_IDS_MAX) {
    throw new Unreadable(`The event names more than ${EXTERNAL_IDS_MAX} external ids: send fewer.`)
  }
  for (const external of externals) {
    const { type } = external
    if (type === 'shopify' || type === 'woocommerce') {
      const outside = readPart(problems, '', () => readOutsideId(type, external.id, 'externalIds'), undefined)
      if (outside !== undefined) ids.push(outside)
    }
    const readConversationId = () => (type === 'conversation' ? readId(external.id, 'externalIds') : undefined)
    const conversationId = readPart(problems, '', readConversationId, undefined)
    if (conversationId !== undefined) facts.push({ type: 'linkConversation', who, conversationId, at })
  }
  return ids.length > 1 ? [...facts, { type: 'link', ids, at }] : facts
}

function readTraits(traits: Traits) {
  const whole = readName(traits.name)
  const [first, ...others] = whole?.split(/\s+/) ?? []
  const firstName = readName(traits.firstName ?? traits.first_name)
  const lastName = readName(traits.lastName ?? traits.last_name)
  const isSplit = firstName === undefined && lastName === undefined
  return knownFields({
    firstName: isSplit ? first : firstName,
    lastName: isSplit ? readName(others.join(' ')) : lastName,
    userName: readName(traits.username ?? traits.userName),
    profilePic: readPicture(traits.avatar),
    birthday: readBirthday(traits.birthday),
  })
}

/** The earlier id may be an anonymous one, or one by which the person was known before. */
function readAlias({ body, userId, anonymousId, at }: Event): Fact[] {
  const previous = (readOutsideId('anonymousId', body.previousId, 'previousId') ?? anonymousId)?.id
  if (userId === undefined || previous === undefined) {
    throw new Unreadable('An alias needs userId and previousId.')
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
