import type { ProfileField } from './fields.js'

/**
 * The closed list of facts that deliveries state, and that are applied to the audience. Facts are commutative: applied in
 * any order and any number of times, they result in the same audience. Instants are in milliseconds since the epoch.
 */

/** An external id. A `userId` is a cuid unless it is linked to another one. */
export interface ExternalId {
  /** `meta:<channelId>` for a conversation that the platform names, `conversation` for one of any channel. */
  kind: 'userId' | 'anonymousId' | 'shopify' | 'woocommerce' | 'conversation' | `meta:${string}`
  id: string
}

/** The profile fields that sources send; null clears one. */
export type ProfileFields = Partial<Record<ProfileField, string | null>>

/**
 * How an order is paid: not yet; as its state implies; or as the shop states, at the time of the payment. Of two versions in
 * the same second, a stated payment counts as the later one.
 */
export type Payment = 'none' | 'implied' | 'stated'

export type Fact =
  /** A message in a conversation of a channel. A person's message counts as their last message; an echo does not. */
  | {
      type: 'message'
      channelId: string
      conversationId: string
      at: number
      isEcho: boolean
      /** True if the whole text asks for no automated messages. The text itself is not kept. */
      isOptOut?: boolean
    }
  /** Profile fields, each newest by `at`. */
  | { type: 'profile'; who: ExternalId; fields: ProfileFields; at: number }
  | { type: 'appOpen'; who: ExternalId; at: number }
  /** One version of an order. The version with the newest `versionAt` counts. */
  | {
      type: 'purchase'
      orderId: string
      /** Undefined if the order names no person. */
      who?: ExternalId | undefined
      /** A decimal, such as `598.94`. */
      amount: string
      /** ISO 4217. */
      currency: string
      at: number
      versionAt: number
      isTest: boolean
      /** The order ended without a sale, or its sale was undone: cancelled, failed, voided, or in the trash. */
      isCancelled: boolean
      /** `implied` by default. */
      payment?: Payment
      /** This version says that everything was refunded, whatever refunds it names; REFUND_OF_STATUS is next to it. */
      isRefunded?: boolean
    }
  /** The shop removed an order, or restored one. `at` is the arrival of the delivery, which names no version. */
  | { type: 'orderRemoved' | 'orderRestored'; orderId: string; at: number }
  /** A refund of an order; without an amount, everything that is left of it. */
  | { type: 'refund'; orderId: string; refundId: string; amount?: string | undefined; at: number }
  /** Ids of one person. The first one that has a person determines it; a `userId` always has one. */
  | { type: 'link'; ids: readonly ExternalId[]; at: number }
  /** A conversation of a channel belongs to this person, as `context.externalIds` of type `conversation` says. */
  | { type: 'linkConversation'; who: ExternalId; channelId?: string; conversationId: string; at: number }
  /** A person must be erased; the ids may be unknown. */
  | { type: 'forget'; ids: readonly ExternalId[]; reason: string }
  /** Everything that came from this source must be erased (shop/redact). */
  | { type: 'forgetSource' }
  /** A person asks for their data. This becomes a problem for a human, with the data as a file. */
  | { type: 'dataRequest'; ids: readonly ExternalId[] }
  /** A comment on a post, passed on to superpowers. */
  | {
      type: 'comment'
      channelId: string
      commentId: string
      objectId: string
      parentId?: string | undefined
      personId?: string | undefined
      fromName?: string | undefined
      text?: string | undefined
      at: number
    }

/** A fact, and the item of the delivery that states it. */
export interface FoundFact {
  /** Such as `batch[3]` or `entry[0].messaging[2]`; empty for the whole delivery. */
  item: string
  fact: Fact
}

/** An item that could not be read. */
export interface FoundProblem {
  item: string
  /** A sentence for people: what is wrong, with the value. */
  reason: string
}

/** Ids are no longer than this, and longer texts are not examined. */
export const ID_CHARS_MAX = 256

/** Returns the text of an id, however the sender wrote it; undefined if the value is not one. */
export function idTextOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  if (typeof value !== 'string' || value.length > ID_CHARS_MAX) return undefined
  return value.isWellFormed() && !value.includes('\0') ? value.trim() : undefined
}

const GLOBAL_ID = /^gid:\/\/shopify\/([A-Za-z]{1,64})\/(\d{1,40})(?:\?|$)/
const globalIdOf = (value: unknown): RegExpExecArray | null =>
  typeof value === 'string' && value.length <= ID_CHARS_MAX ? GLOBAL_ID.exec(value) : null

/** Returns the digits of an id that Shopify writes as `gid://shopify/Order/…`. */
export const idOfGlobalId = (value: unknown): string | undefined => globalIdOf(value)?.[2]
/** Returns the type that such an id names. */
export const typeOfGlobalId = (value: unknown): string | undefined => globalIdOf(value)?.[1]

/** Returns whether an instant is plausible: between 2004 and a day after it was received. */
export const isPlausibleInstant = (at: number, receivedAt: number): boolean =>
  at >= Date.UTC(2004, 0, 1) && at <= receivedAt + 86_400_000

/** Texts that mean an unknown id, and link nothing. */
const PLACEHOLDERS = new Set([
  ...['', '0', '-1', 'null', 'undefined', 'none', 'nil', 'nan', 'n/a', 'na', 'anonymous', 'guest', 'unknown'],
  ...['true', 'false', '[object object]', '(null)', '00000000-0000-0000-0000-000000000000'],
])

/** Returns whether a string means an unknown id. */
export const isPlaceholder = (id: string): boolean => PLACEHOLDERS.has(id.trim().toLowerCase())
