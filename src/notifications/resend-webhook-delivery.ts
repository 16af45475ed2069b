import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { changeWebhook, requireActive } from './change-webhook.js'
import { restartDelivery } from './deliveries.store.js'
import { deliveryBody, toDeliveryBody } from './webhook.js'

/** Sends a delivery again, from its first attempt on. */
export const resendWebhookDelivery = operation({
  operationId: 'resendWebhookDelivery',
  summary: 'Send a delivery again, whatever came of it.',
  description:
    'For an event that the receiver has lost. It gets the same id. It is sent within seconds; see the list for what came of it. Costs one small transaction.',
  route: 'POST /webhooks/{webhookId}/deliveries/{deliveryId}/send',
  permission: 'settings:write',
  answers: [200, 404, 409],
  success: deliveryBody,
  handle({ params: { webhookId, deliveryId }, principal }, context) {
    const entry = { principal, operation: 'resendWebhookDelivery', webhookId, changes: { deliveryId } }
    return changeWebhook(context, entry, async (tx, webhook, at) => {
      requireActive(webhook)
      const row = await restartDelivery(tx, webhook, deliveryId, at)
      if (row === undefined) throw new ApiError('delivery_not_found')
      return ok(toDeliveryBody(row))
    })
  },
})
