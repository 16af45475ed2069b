import Joi from 'joi'
import type { WebhooksConfig } from '../../config/webhooks.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { nameSchema } from '../../http/params.js'
import type { ShownWebhookDelivery, Webhook, WebhookDelivery, WebhookPatch } from '../../interface/generated/types.js'
import { isLoopback } from '../../lib/addresses.js'
import { addressOf, isPrivateAddress } from '../../lib/public-addresses.js'
import { EVENT_TYPES } from '../events.js'
import type { DeliveredEvent, DeliveryRow } from './deliveries.store.js'
import type { WebhookRow } from './webhooks.store.js'

const URL_CHARS_MAX = 2048

/** The events to choose from. A test event is not one: it is sent on request to any webhook. */
const CHOSEN_EVENTS = EVENT_TYPES.filter((type) => type !== 'test')

const chosenEvent = named('WebhookEventType', Joi.string().valid(...CHOSEN_EVENTS))

/** The settings of a webhook in a request. */
export const webhookFields = {
  name: nameSchema.allow('').description('A name for people, such as the program that it calls.'),
  url: Joi.string().max(URL_CHARS_MAX).description('An https address of the public Internet, without a password.'),
  events: Joi.array()
    .items(chosenEvent)
    .min(1)
    .unique()
    .description('The events to send. By default all, including those that later versions add.'),
}

/**
 * Returns the settings for the audit trail, with only the host of the URL, because the rest may contain the
 * receiver's secret.
 */
export const toWebhookChanges = ({ url, ...others }: WebhookPatch): Record<string, unknown> => ({
  ...(url === undefined ? {} : { host: new URL(url).host }),
  ...others,
})

/** Throws webhook_url_refused with the reason. The addresses of a host name are checked on connecting. */
export function checkWebhookUrl(text: string, { allowsPrivate }: WebhooksConfig): void {
  const refuse = (message: string): ApiError => new ApiError('webhook_url_refused', { message })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
    throw refuse('The url must be an https address, such as https://example.com/hooks/greenroom.')
  }
  if (url.username !== '' || url.password !== '' || text.includes('#')) {
    throw refuse('The url must have no password and no fragment: check the signature instead.')
  }
  const address = addressOf(url.hostname)
  const isPrivate = isLoopback(url.hostname) || (address !== undefined && isPrivateAddress(address))
  if (isPrivate && !allowsPrivate) {
    throw refuse(
      'The url leads to a private address: give one of the public Internet, or let the operator set WEBHOOK_PRIVATE=on.',
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse('The url must begin with https://: http:// is allowed only on this machine.')
  }
}

const webhookKeys = {
  id: Joi.string().required(),
  name: Joi.string().required().allow(''),
  active: Joi.boolean()
    .required()
    .description('If `false`, no new events are queued, and waiting deliveries stay on hold.'),
  events: Joi.array().items(chosenEvent).description('Absent if all events are sent.'),
  url: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
  updatedAt: Joi.string().isoDate().required().description('When its settings or its secret were last changed.'),
  previousSecretUntil: Joi.string()
    .isoDate()
    .description('Until then deliveries are also signed with the previous secret.'),
}
export const webhookBody = namedObject('Webhook', webhookKeys)
export const webhookWithSecretBody = named(
  'WebhookWithSecret',
  Joi.object({
    ...webhookKeys,
    secret: Joi.string().required().description('Signs the deliveries. Only this answer contains it.'),
  }),
)

export const toWebhookBody = (row: WebhookRow, now: number): Webhook => ({
  id: row.webhook_id,
  name: row.name,
  active: row.active,
  ...(row.events === null ? {} : { events: row.events }),
  url: row.url,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  ...(row.previous_until !== null && row.previous_until.getTime() > now
    ? { previousSecretUntil: row.previous_until.toISOString() }
    : {}),
})

const deliveryKeys = {
  id: Joi.string().required().description('The id of the event, as the receiver gets it.'),
  webhookId: Joi.string().required().description('The webhook. It may have been removed since.'),
  type: named('EventType', Joi.string().valid(...EVENT_TYPES)).required(),
  timestamp: Joi.string().isoDate().required().description('When the event happened.'),
  data: Joi.object()
    .pattern(Joi.string(), [Joi.string(), Joi.number(), Joi.boolean()])
    .required()
    .description('Ids, numbers and times, without content or names.'),
  status: Joi.string().valid('PENDING', 'DELIVERED', 'FAILED').required(),
  attempts: Joi.number()
    .integer()
    .required()
    .description('The number of attempts, counted from the last manual resend.'),
  nextAttemptAt: Joi.string().isoDate(),
  lastAttemptAt: Joi.string().isoDate(),
  lastStatus: Joi.number().integer().description('The status of the last answer.'),
  lastError: Joi.string(),
  lastDurationMs: Joi.number().integer().description('The duration of the last attempt.'),
}
export const deliveryBody = namedObject('WebhookDelivery', deliveryKeys)
export const shownDeliveryBody = namedObject('ShownWebhookDelivery', {
  ...deliveryKeys,
  payload: Joi.string().required().description('The exact body that is sent.'),
  lastAnswer: Joi.string().description("The beginning of the receiver's last answer as text, at most 2 kB."),
})

export const toDeliveryBody = (row: DeliveryRow): WebhookDelivery => ({
  id: row.event_id,
  webhookId: row.webhook_id,
  type: row.type,
  timestamp: row.at.toISOString(),
  data: row.data,
  status: row.status,
  attempts: row.attempts,
  ...(row.next_attempt_at === null ? {} : { nextAttemptAt: row.next_attempt_at.toISOString() }),
  ...(row.last_attempt_at === null ? {} : { lastAttemptAt: row.last_attempt_at.toISOString() }),
  ...(row.last_status === null ? {} : { lastStatus: row.last_status }),
  ...(row.last_error === null ? {} : { lastError: row.last_error }),
  ...(row.last_duration_ms === null ? {} : { lastDurationMs: row.last_duration_ms }),
})

export const toShownDeliveryBody = (row: DeliveryRow): ShownWebhookDelivery => ({
  ...toDeliveryBody(row),
  payload: toPayload(row),
  ...(row.last_answer === null ? {} : { lastAnswer: row.last_answer }),
})

/** Returns the body for the receiver, which is the same text at each attempt. */
export const toPayload = (row: DeliveredEvent): string =>
  JSON.stringify({
    id: row.event_id,
    type: row.type,
    timestamp: row.at.toISOString(),
    organizationId: row.organization_id,
    data: row.data,
  })
