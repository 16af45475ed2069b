import { limit } from '../../lib/limits.js'
import { asObject, DEPTH_MAX, depthOf, isObject, type Json, Unreadable } from './values.js'

// The fields of events that are read. The decoder cannot read any other field, because its types have no other. Nothing else
// in a delivery is stored: neither padding nor the write key in its body.

const EVENT_BYTES_MAX = limit('eventBytes')
const BYTES_MAX = limit('deliveryInflatedBytes')
/** Texts of events are cut at this length; the longest one in use, the address of a picture, is half as long. */
const TEXT_CHARS_MAX = 4_096
/** One more than is allowed, so that an excess is reported. */
export const EXTERNAL_IDS_MAX = 10

/** `true` is a plain value. A list has the fields of its items. */
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
/** If an event was left out, the reason is stored instead. */
export type EventFields = Picked<typeof EVENT> & { readonly leftOut?: unknown }

/** A delivery without the fields that nothing reads. */
export interface PickedDelivery {
  isBatch: boolean
  /** Events, or anything else that was sent in their place. */
  events: unknown[]
  /** The `sentAt` of the batch. */
  sentAt: unknown
  context: Context | undefined
}

const LEFT_OUT = {
  large: `The event is larger than ${EVENT_BYTES_MAX / 1024} KiB.`,
  deep: `It is nested deeper than ${DEPTH_MAX} levels.`,
} as const

/** Returns the reason why an event was left out. */
export const reasonOfLeftOut = (leftOut: unknown): string | undefined =>
  leftOut === 'large' || leftOut === 'deep' ? LEFT_OUT[leftOut] : undefined

/**
 * Picks the fields that are read from a parsed delivery of this many bytes, either as received or as stored, with the same
 * result. Throws for a context that would be read too often: a batch's context counts for each of its events.
 */
export function pickDelivery(delivery: unknown, bytes: number): PickedDelivery {
  const isLarge = bytes > EVENT_BYTES_MAX
  const whole = asObject(delivery)
  if (!Array.isArray(whole.batch)) {
    return { isBatch: false, events: [pickEvent(delivery, isLarge)], sentAt: undefined, context: undefined }
  }
  const { sentAt, context } = pick(whole, { sentAt: true, context: CONTEXT })
  if (context !== undefined && JSON.stringify(context).length * whole.batch.length > BYTES_MAX) {
    throw new Unreadable('The context of the batch is too large for this number of events: send fewer at once.')
  }
  return { isBatch: true, events: whole.batch.map((event) => pickEvent(event, isLarge)), sentAt, context }
}

/** Returns a delivery as it is stored. */
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

/**
 * Returns a value that is read as text, number or nothing. Any other value is only recognized as neither, and takes no
 * space.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'string') return value.slice(0, TEXT_CHARS_MAX)
  // A number that a double or JSON cannot represent would differ when read again.
  const isHeld = typeof value !== 'number' || (Number.isFinite(value) && !isBeyond(value))
  return isObject(value) || !isHeld ? {} : value
}

const isBeyond = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)
