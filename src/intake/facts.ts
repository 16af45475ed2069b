import type { FoundFact, FoundProblem } from '../audience/facts.js'

export * from '../audience/facts.js'

export interface Decoded {
  facts: FoundFact[]
  problems: FoundProblem[]
  /**
   * The topic of a body that takes something away, or that may be taken for one that does. The worker applies it only if
   * the same bytes say nothing else and are not sent again to undo what a human has done since.
   */
  claim?: string
  /** The number of the shop that a signed body of Shopify names. */
  shopId?: string
}

/** A delivery as it waits in the inbox. */
interface Delivery {
  topic: string | null
  /** The few headers that a decoder needs, in lower case. */
  headers: Readonly<Record<string, string>>
  /** Inflated. */
  body: Buffer
  receivedAt: number
}

/** The states of a shop's orders that a source says more about, as slugs. */
export interface OrderStatuses {
  /** They count without a date of payment. */
  counted: readonly string[]
  /** They do not count, paid or not. */
  uncounted: readonly string[]
}

export interface DecoderOptions {
  valueFrom: 'total' | 'revenue'
  /** None by default. */
  statuses?: OrderStatuses
}

/** Reads a delivery. It never throws: what cannot be read is a problem. */
export type Decode = (delivery: Delivery, options: DecoderOptions) => Decoded
