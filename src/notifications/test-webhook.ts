import { newEventId } from '../events/events.store.js'
import { created, operation } from '../http/operation.js'
import { changeWebhook } from './change-webhook.js'
import { insertDelivery } from './deliveries.store.js'
import { deliveryBody, toDeliveryBody } from './webhook.js'

/** Sends the webhook an event of type test. */
export const testWebhook = operation({
  operationId: 'testWebhook',
  summary: 'Send the webhook an event of type test.',
  description:
    'For trying a receiver. It is sent within seconds, and like any other again until it is taken; see the list for what came of it. Costs one small transaction.',
  method: 'POST',
  path: '/webhook/test',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [201, 404],
  success: deliveryBody,
  handle: ({ principal }, context) =>
    changeWebhook(context, { principal, operation: 'testWebhook' }, async (tx, { organization_id }, at) => {
      const event = { organization_id, event_id: newEventId(), type: 'test', at, data: {} } as const
      // The webhook is locked, so that the event has a delivery.
      const row = (await insertDelivery(tx, event, at))!
      return created(toDeliveryBody(row))
    }),
})
