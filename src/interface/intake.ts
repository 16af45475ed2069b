import type { PurchaseImportReport as FileReport, VipUser } from './generated/types.js'
import type { PageQuery } from './pages.js'

export const SOURCE_TYPES = ['META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** The amount of an order that counts: `total` with shipping and tax, `revenue` without them. */
export type ValueFrom = 'total' | 'revenue'

/**
 * How far the events of a source are believed: `full`, or, where anyone may have read its write key, `new_people` (app
 * opens, and profiles of people of whom nothing else speaks) and `times_only` (app opens of ids that are known).
 */
export const SOURCE_TRUSTS = ['full', 'new_people', 'times_only'] as const
export type SourceTrust = (typeof SOURCE_TRUSTS)[number]

export interface NewSource {
  type: SourceType
  name: string
  /** The secret that the other side gave. META and SHOPIFY need it; WOOCOMMERCE makes one where none is given. */
  secret?: string
  /** META: the secret of the app of Instagram login, where there is one. */
  instagramSecret?: string
  valueFrom?: ValueFrom
  /** WOOCOMMERCE: statuses of orders that count without a date of payment, beside `processing` and `completed`. */
  countedStatuses?: string[]
  /** WOOCOMMERCE: statuses of orders that do not count, paid or not, beside `cancelled`, `failed` and `trash`. */
  uncountedStatuses?: string[]
  /** EVENTS: where the write key will be; `server` unless said. */
  keyIn?: 'server' | 'browser'
  /** EVENTS: `full` unless said, and `times_only` if the key is in a browser. */
  trust?: SourceTrust
  /** Deliveries a second; the server's own unless said. */
  deliveriesPerSecond?: number
}

export type SourcePatch = Partial<
  Pick<NewSource, 'name' | 'secret' | 'valueFrom' | 'countedStatuses' | 'uncountedStatuses' | 'trust'>
> & {
  /** META; null removes it. */
  instagramSecret?: string | null
  /** Null: the server's own. */
  deliveriesPerSecond?: number | null
}

export interface Refusal {
  at: string
  reason: 'signature' | 'key' | 'unreadable' | 'too_large' | 'limit'
}

export interface Source {
  id: string
  type: SourceType
  name: string
  /** The address to give to the other side: for EVENTS the host and path of the SDKs. */
  url: string
  valueFrom: ValueFrom
  /** Empty for all types but WOOCOMMERCE, like the next. */
  countedStatuses: string[]
  uncountedStatuses: string[]
  /** `full` for all types but EVENTS. */
  trust: SourceTrust
  deliveriesPerSecond: number | null
  createdAt: string
  updatedAt: string
  lastDeliveryAt: string | null
  /** Deliveries that are stored and not applied yet. */
  waiting: number
  problems: number
  lastRefusal: Refusal | null
  /** Refused deliveries in all. */
  refused: number
  /** Facts and unreadable items that were left out in all, because the source is not fully trusted. */
  leftOut: number
  /** The secret or key before the last rotation is accepted until then. */
  previousSecretUntil: string | null
}

/** The answer that shows secrets, once. */
export interface SourceWithSecrets extends Source {
  /** EVENTS. */
  writeKey?: string
  /** META: to give to the other side beside the address. */
  verifyToken?: string
  /** WOOCOMMERCE: the secret that was made here. */
  secret?: string
}

export interface SecretRotation {
  /** META and SHOPIFY: the new secret of the other side. WOOCOMMERCE makes one where none is given. */
  secret?: string
  /** META: makes another verify token, with a new secret or without one. The one before ends at once. */
  renewVerifyToken?: boolean
}

export interface SourceDeletion {
  id: string
}

export type SourceQuery = PageQuery

export interface SourceProblem {
  id: string
  sourceId: string
  at: string
  /** Names the item in its delivery, such as `batch[3]`; null for the whole delivery. */
  item: string | null
  reason: string
  topic: string | null
  /** As text, up to 64 KiB of it. */
  body: string
  bodyBytes: number
  /** The data of a person who asked for it. */
  answer: PersonData | null
}

export interface RetriedProblem {
  id: string
}

export interface DismissedProblem {
  id: string
}

// People, with what is known of them

export type PurchaseState =
  | 'counted'
  | 'other_currency'
  | 'no_currency'
  | 'test'
  | 'cancelled'
  | 'unpaid'
  | 'before_opening'
  | 'refunded'

export interface Purchase {
  orderId: string
  sourceId: string
  amount: string
  currency: string
  /** The amount that was refunded. */
  refunded: string
  at: string
  state: PurchaseState
}

export interface PersonLink {
  kind: string
  id: string
  sourceId: string | null
  at: string
}

export interface ProfileField {
  field: string
  value: string | null
  at: string
  sourceId: string | null
}

/** Every field of the conversation; null where it is not known. */
export interface PersonConversation extends Nullable<Required<Omit<VipUser, 'conversationId' | 'cuid'>>> {
  channelId: string
  conversationId: string
  cuid: string
  lifetimeValue: number
  /** The value as of a time, to which purchases after it are added; null until intake has changed the value. */
  opening: { amount: string; at: string | null } | null
  /** The purchases after the opening that count: the value is the opening and these, less the refunds. */
  purchased: string
  /** The refunds after the opening. */
  refunded: string
}

type Nullable<T> = { [K in keyof T]: T[K] | null }

export interface PersonDetails {
  cuid: string
  /** Null: purchases are kept and not counted. */
  currency: string | null
  /** The first 1,000. */
  conversations: PersonConversation[]
  conversationsTotal: number
  /** The latest 100. */
  purchases: Purchase[]
  purchasesTotal: number
  links: PersonLink[]
  fields: ProfileField[]
}

/** The answer to someone who asks for their data; the cuid is null where their id belongs to no person here. */
export interface PersonData extends Omit<PersonDetails, 'cuid'> {
  cuid: string | null
}

export interface PersonQuery extends PageQuery {
  /** The beginning of a name or user name, or a whole cuid, outside id or conversation id. */
  search: string
}

/** A conversation of a person. */
export type FoundPerson = Omit<PersonConversation, 'opening' | 'purchased' | 'refunded'>

export interface NewPersonLink {
  kind: string
  id: string
}

export interface LinkedPerson extends NewPersonLink {
  cuid: string
}

/** The report of an import of purchases, whose lines are orders. */
export type PurchaseImportReport = FileReport
