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

/** The events that happen by themselves. */
export type WebhookEventType = Exclude<EventType, 'test'>

/** Ids, numbers and times, no content and no names. */
export type EventData = Record<string, string | number | boolean>

/** The body that a webhook gets. */
export interface WebhookEvent {
  /** Also the id of its deliveries. */
  id: string
  type: EventType
  /** When it happened; the same however often it is sent. */
  timestamp: string
  organizationId: string
  data: EventData
}

export interface NewWebhook {
  /** For people. */
  name?: string
  /** An https address. */
  url: string
  /** All events unless said. */
  events?: WebhookEventType[]
}

export interface WebhookPatch extends Partial<Omit<NewWebhook, 'events'>> {
  /** null for all of them. */
  events?: WebhookEventType[] | null
  active?: boolean
}

export interface Webhook {
  id: string
  /** Empty where it has none. */
  name: string
  /** Where it is false, it is told of nothing new. */
  active: boolean
  /** Absent: all events. */
  events?: WebhookEventType[]
  url: string
  createdAt: string
  /** When its settings or its secret were last changed. */
  updatedAt: string
  /** Until then the secret before signs too. */
  previousSecretUntil?: string
}

/** With the secret, which is in no other answer. */
export interface WebhookWithSecret extends Webhook {
  secret: string
}

export interface WebhookDelivery extends Pick<WebhookEvent, 'id' | 'type' | 'timestamp' | 'data'> {
  /** The webhook, which may be removed by now. */
  webhookId: string
  status: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** How often it was sent, since it was last sent by hand. */
  attempts: number
  /** Present while it is pending. */
  nextAttemptAt?: string
  lastAttemptAt?: string
  /** The answer of the receiver. */
  lastStatus?: number
  lastError?: string
  lastDurationMs?: number
}

export interface ShownWebhookDelivery extends WebhookDelivery {
  /** The body as it is sent. */
  payload: string
  /** The beginning of the receiver's answer. */
  lastAnswer?: string
}

export interface WebhookDeliveryQuery extends PageQuery {
  webhookId?: string
}
export type WebhookDeliveryPage = CountedPage<WebhookDelivery>
