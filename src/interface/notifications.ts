import type { CountedPage, PageQuery } from './pages.js'

/** The data of each event that a webhook is told of: ids, numbers and times, no content and no names. */
export interface EventDataOf {
  'post.failed': { scheduledPostId: string }
  'post.waiting_for_approval': { scheduledPostId: string }
  /** It has one of the two. */
  'token.refused': { channelId?: string; adAccountId?: string }
  'key.expiring': { keyId: string; expiresAt: string }
  'import.finished': { channelId: string; imported: number; erased: number; rejected: number }
  'superpower.acted': { scheduledPostId: string; channelId: string; commentId: string; effect: string }
  'superpower.stopped': { channelId: string; scheduledPostId?: string }
  'raffle.drawn': { scheduledPostId: string; channelId: string; entrants: number; winners: number }
  /** Sent by hand. */
  test: Record<never, never>
}
export type EventType = keyof EventDataOf

/** The data of any event. */
export type EventData = Record<string, string | number>

/** The events that happen by themselves. */
export type WebhookEventType = Exclude<EventType, 'test'>

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
