import { ok, operation } from '../http/operation.js'
import { changeWebhook } from './change-webhook.js'
import { endPendingDeliveries } from './deliveries.store.js'
import { toWebhookBody, webhookBody } from './webhook.js'
import { deleteWebhookRow } from './webhooks.store.js'

const WEBHOOK_REMOVED = 'The webhook was removed.'

/** Removes the webhook. Deliveries that wait fail; the log stays. */
export const deleteWebhook = operation({
  operationId: 'deleteWebhook',
  summary: 'Remove the webhook: nothing more is delivered, and what was on its way fails.',
  description:
    'For a receiver that is no longer there. The log of deliveries stays; a webhook that is set later has another secret. Costs one small transaction.',
  method: 'DELETE',
  path: '/webhook',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [200, 404],
  success: webhookBody,
  async handle({ principal }, { database, clock }) {
    const { organizationId } = principal
    const at = new Date(clock.now())
    return await changeWebhook(database, { principal, at, operation: 'deleteWebhook' }, async (tx, webhook) => {
      await endPendingDeliveries(tx, organizationId, WEBHOOK_REMOVED)
      await deleteWebhookRow(tx, organizationId)
      return ok(toWebhookBody(webhook, at.getTime()))
    })
  },
})
