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
  handle: ({ principal }, context) =>
    changeWebhook(context, { principal, operation: 'deleteWebhook' }, async (tx, webhook, at) => {
      await endPendingDeliveries(tx, webhook.organization_id, WEBHOOK_REMOVED)
      await deleteWebhookRow(tx, webhook.organization_id)
      return ok(toWebhookBody(webhook, at.getTime()))
    }),
})
