import { ok, operation } from '../http/operation.js'
import { changeWebhook } from './change-webhook.js'
import { endPendingDeliveries } from './deliveries.store.js'
import { toWebhookBody, webhookBody } from './webhook.js'
import { deleteWebhookRow } from './webhooks.store.js'

const WEBHOOK_REMOVED = 'The webhook was removed.'

/** Removes a webhook. Deliveries that wait fail; the log stays. */
export const deleteWebhook = operation({
  operationId: 'deleteWebhook',
  summary: 'Remove a webhook: nothing more is delivered, and what was on its way fails.',
  description:
    'For a receiver that is no longer there. The log of deliveries stays; another webhook at the same address has another secret. Costs one small transaction.',
  route: 'DELETE /webhooks/{webhookId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: webhookBody,
  handle: ({ params: { webhookId }, principal }, context) =>
    changeWebhook(context, { principal, operation: 'deleteWebhook', webhookId }, async (tx, webhook, at) => {
      await endPendingDeliveries(tx, webhook, WEBHOOK_REMOVED)
      await deleteWebhookRow(tx, webhook)
      return ok(toWebhookBody(webhook, at.getTime()))
    }),
})
