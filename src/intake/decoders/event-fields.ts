import { limit } from '../../lib/limits.js'
import { asObject, DEPTH_MAX, depthOf, isObject, type Json, Unreadable } from './values.js'

// These fields of events are read. The decoder cannot read any other field, because its types have no other. Nothing else
// in a delivery is stored: neither padding nor the write key in its body.

const EVENT_BYTES_MAX = limit('eventBytes')
const BYTES_MAX = limit('deliveryInflatedBytes')
/** A text of an event is cut there; the longest that counts, the address of a picture, is half as long. */
const TEXT_CHARS_MAX = 4_096
/** One more than may be given, so that too many are told. */
export const EXTERNAL_IDS_MAX = 10

/** `true`: a plain value. A list has the fields of its items. */
type Fields = { readonly [name: string]: true | Fields | readonly [Fields] }

type Picked<Of extends Fields> = {
  readonly [Name in keyof Of]?: Of[Name] extends readonly [infer Item extends Fields]
    ? readonly Picked<Item>[]
    : Of[Name] extends Fields
      ? Picked<Of[Name]>
      : unknown
}

const TRAITS = {
  ...{ name: true, firstName: true, first_name: true, lastName: true, last_name: true },
  ...{ username: true, userName: true, avatar: true, birthday: true },
} as const satisfies Fields
const EXTERNAL_ID = { type: true, id: true } as const satisfies Fields
const CONTEXT = {
  ...{ traits: TRAITS },
  // RudderStack calls the same list externalId.
  ...{ externalIds: [EXTERNAL_ID], externalId: [EXTERNAL_ID] },
} as const satisfies Fields
const EVENT = {
  ...{ type: true, event: true, messageId: true },
  ...{ userId: true, anonymousId: true, previousId: true },
  ...{ timestamp: true, originalTimestamp: true, sentAt: true },
  properties: {
    ...{ order_id: true, orderId: true, refund_id: true, refundId: true },
    ...{ total: true, revenue: true, value: true, currency: true },
  },
  traits: TRAITS,
  context: CONTEXT,
} as const satisfies Fields

export type Traits = Picked<typeof TRAITS>
export type Context = Picked<typeof CONTEXT>
/** The reason why the event itself was left out is stored in its place. */
export type EventFields = Picked<typeof EVENT> & { readonly leftOut?: unknown }

/** A delivery without what nobody reads. */
export interface PickedDelivery {
  isBatch: boolean
  /** Events, or anything else that was sent in their place. */
  events: unknown[]
  /** The `sentAt` of the batch. */
  sentAt: unknown
  context: Context | undefined
}

const LEFT_OUT = {
  large: `The event has more than ${EVENT_BYTES_MAX / 1024} KiB.`,
  deep: `It is nested deeper than ${DEPTH_MAX} levels.`,
} as const

/** The reason why an event was left out. */
export const reasonOfLeftOut = (leftOut: unknown): string | undefined =>
  leftOut === 'large' || leftOut === 'deep' ? LEFT_OUT[leftOut] : undefined

/**
 * Picks what is read of a parsed delivery of so many bytes: as it came, or as it was stored, which gives the same.
 * Throws for a context that would be read too often: that of a batch counts for each of its events.
 */
export function pickDelivery(delivery: unknown, bytes: number): PickedDelivery {
  const isLarge = bytes > EVENT_BYTES_MAX
  const whole = asObject(delivery)
  if (!Array.isArray(whole.batch)) {
    return { isBatch: false, events: [pickEvent(delivery, isLarge)], sentAt: undefined, context: undefined }
  }
  const { sentAt, context } = pick(whole, { sentAt: true, context: CONTEXT })
  if (context !== undefined && JSON.stringify(context).length * whole.batch.length > BYTES_MAX) {
    throw new Unreadable('The context of the batch is too large for so many events: send fewer at once.')
  }
  return { isBatch: true, events: whole.batch.map((event) => pickEvent(event, isLarge)), sentAt, context }
}

/** A delivery as it is stored. */
export const toStored = ({ isBatch, events, sentAt, context }: PickedDelivery): Buffer =>
  Buffer.from(JSON.stringify(isBatch ? { batch: events, sentAt, context } : events[0]))

function pickEvent(event: unknown, isLarge: boolean): unknown {
  if (!isObject(event)) return plain(event)
  const leftOut = reasonOfLeftOut(event.leftOut) === undefined ? findLeftOut(event, isLarge) : event.leftOut
  return { ...pick(event, EVENT), ...(leftOut !== undefined && { leftOut }) }
}

function findLeftOut(event: Json, isLarge: boolean): keyof typeof LEFT_OUT | undefined {
  if (depthOf(event) > DEPTH_MAX) return 'deep'
  return isLarge && Buffer.byteLength(JSON.stringify(event)) > EVENT_BYTES_MAX ? 'large' : undefined
}

function pick<Of extends Fields>(given: Json, fields: Of): Picked<Of> {
  const picked: Json = {}
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(given, name)) continue
    const value = given[name]
    if (Array.isArray(field)) {
      const items = Array.isArray(value) ? value.slice(0, EXTERNAL_IDS_MAX + 1) : []
      picked[name] = items.map((item) => (isObject(item) ? pick(item, field[0]) : {}))
    } else picked[name] = field !== true && isObject(value) ? pick(value, field as Fields) : plain(value)
  }
  return picked as Picked<Of>
}

/** A value that is read as text, number or nothing: others are only told to be none, and take no room. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'string') return value.slice(0, TEXT_CHARS_MAX)
  // A number that a double does not hold, or that JSON does not know, would be another one when it is read again.
  const isHeld = typeof value !== 'number' || (Number.isFinite(value) && !isBeyond(value))
  return isObject(value) || !isHeld ? {} : value
}

const isBeyond = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)
