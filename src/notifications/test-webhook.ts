import { recordAudit } from '../access/audit.store.js'
import { ApiError } from '../errors.js'
import { newEventId } from '../events/events.store.js'
import { created, operation } from '../http/operation.js'
import { insertDelivery } from './deliveries.store.js'
import { deliveryBody, toDeliveryBody } from './webhook.js'
import { lockWebhook } from './webhooks.store.js'

/** Send the webhook an event of type test. */
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
  async handle({ principal }, { database, clock }) {
    const { organizationId } = principal
    const at = new Date(clock.now())
    const event = { organization_id: organizationId, event_id: newEventId(), type: 'test', at, data: {} } as const
    const row = await database.transaction(async (tx) => {
      const webhook = await lockWebhook(tx, organizationId)
      const delivery = webhook && (await insertDelivery(tx, event, at))
      if (webhook === undefined || delivery === undefined) throw new ApiError('webhook_not_found')
      await recordAudit(tx, {
        principal,
        at,
        operation: 'testWebhook',
        target: { type: 'webhook', id: webhook.webhook_id },
      })
      return delivery
    })
    return created(toDeliveryBody(row))
  },
})
