import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { findDelivery } from './deliveries.store.js'
import { shownDeliveryBody, toShownDeliveryBody } from './webhook.js'

/** A delivery with the body that was sent, and the beginning of the answer. */
export const getWebhookDelivery = operation({
  operationId: 'getWebhookDelivery',
  summary: 'Get a delivery with the body that is sent and what the receiver answered last.',
  description:
    'For finding out why a receiver refuses an event. The first 2 kB of the answer to the last attempt are kept, for as long as the delivery. Costs one read.',
  route: 'GET /webhooks/{webhookId}/deliveries/{deliveryId}',
  permission: 'settings:read',
  answers: [200, 404],
  success: shownDeliveryBody,
  async handle({ params: { webhookId, deliveryId }, principal }, { database }) {
    const row = await findDelivery(database, principal.organizationId, webhookId, deliveryId)
    if (row === undefined) throw new ApiError('delivery_not_found')
    return ok(toShownDeliveryBody(row))
  },
})
