import type { CountedPage, PageQuery } from './pages.js'

/** A webhook is told of these. */
export type EventType =
  | 'post.failed'
  | 'post.waiting_for_approval'
  | 'token.refused'
  | 'key.expiring'
  | 'import.finished'
  | 'superpower.acted'
  | 'superpower.stopped'
  | 'raffle.drawn'
  /** Sent by hand. */
  | 'test'

/** Ids, numbers and times, no content and no names. */
export type EventData = Record<string, string | number | boolean>

/** The body that a webhook gets. */
export interface WebhookEvent {
  /** Also the id of its delivery. */
  id: string
  type: EventType
  /** When it happened; the same however often it is sent. */
  timestamp: string
  organizationId: string
  data: EventData
}

export interface WebhookPut {
  /** An https address. */
  url: string
}

export interface Webhook {
  url: string
  createdAt: string
  /** When the address or the secret was last set. */
  updatedAt: string
  /** Until then the secret before signs too. */
  previousSecretUntil?: string
}

/** With the secret where one was made: it is in no other answer. */
export interface WebhookWithSecret extends Webhook {
  secret?: string
}

export interface WebhookDelivery extends Pick<WebhookEvent, 'id' | 'type' | 'timestamp' | 'data'> {
  status: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** How often it was sent, since it was last sent by hand. */
  attempts: number
  /** Present while it is pending. */
  nextAttemptAt?: string
  lastAttemptAt?: string
  /** The answer of the receiver. */
  lastStatus?: number
  lastError?: string
}

export type WebhookDeliveryQuery = PageQuery
export type WebhookDeliveryPage = CountedPage<WebhookDelivery>
