import { recordAudit } from '../access/audit.store.js'
import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { endPendingDeliveries } from './deliveries.store.js'
import { toWebhookBody, webhookBody } from './webhook.js'
import { deleteWebhookRow, lockWebhook } from './webhooks.store.js'

export const WEBHOOK_REMOVED = 'The webhook was removed.'

/** Remove the webhook. What is still to be delivered is not; the log stays. */
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
    const row = await database.transaction(async (tx) => {
      const found = await lockWebhook(tx, organizationId)
      if (found === undefined) throw new ApiError('webhook_not_found')
      await endPendingDeliveries(tx, organizationId, WEBHOOK_REMOVED)
      await deleteWebhookRow(tx, organizationId)
      await recordAudit(tx, {
        principal,
        at,
        operation: 'deleteWebhook',
        target: { type: 'webhook', id: found.webhook_id },
      })
      return found
    })
    return ok(toWebhookBody(row, at.getTime()))
  },
})
