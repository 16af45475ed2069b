import { newEventId } from '../events/events.store.js'
import { created, operation } from '../http/operation.js'
import { changeWebhook, requireActive } from './change-webhook.js'
import { insertDelivery } from './deliveries.store.js'
import { deliveryBody, toDeliveryBody } from './webhook.js'

/** Sends a webhook an event of type test. */
export const testWebhook = operation({
  operationId: 'testWebhook',
  summary: 'Send a webhook an event of type test.',
  description:
    'For trying a receiver. It is sent within seconds, and like any other again until it is taken; see the list for what came of it. Costs one small transaction.',
  route: 'POST /webhooks/{webhookId}/test',
  permission: 'settings:write',
  answers: [201, 404, 409],
  success: deliveryBody,
  handle: ({ params: { webhookId }, principal }, context) =>
    changeWebhook(context, { principal, operation: 'testWebhook', webhookId }, async (tx, webhook, at) => {
      requireActive(webhook)
      const { organization_id } = webhook
      const event = { organization_id, event_id: newEventId(), type: 'test', at, data: {} } as const
      // The id is new, so that there is no other delivery of it.
      const row = (await insertDelivery(tx, webhookId, event, at))!
      return created(toDeliveryBody(row))
    }),
})
