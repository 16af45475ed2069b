import type { FoundFact, FoundProblem } from '../audience/facts.js'

export * from '../audience/facts.js'

export interface Decoded {
  facts: FoundFact[]
  problems: FoundProblem[]
  /**
   * The topic of a body that removes something, or that may be mistaken for one that does. The worker applies it only if the
   * same bytes mean nothing else, and are not sent again to undo what a human has done since.
   */
  claim?: string
  /** The number of the shop that a signed Shopify body names. */
  shopId?: string
}

/** A delivery as it waits in the inbox. */
interface Delivery {
  topic: string | null
  /** The few headers that a decoder needs, in lowercase. */
  headers: Readonly<Record<string, string>>
  /** Decompressed. */
  body: Buffer
  receivedAt: number
}

/** The order states that a source treats differently, as slugs. */
export interface OrderStatuses {
  /** They count without a payment date. */
  counted: readonly string[]
  /** They do not count, paid or not. */
  uncounted: readonly string[]
}

export interface DecoderOptions {
  valueFrom: 'total' | 'revenue'
  /** None by default. */
  statuses?: OrderStatuses
}

/** Reads a delivery. It never throws: whatever is unreadable is a problem. */
export type Decode = (delivery: Delivery, options: DecoderOptions) => Decoded
