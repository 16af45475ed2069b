import { recordAudit } from '../access/audit.store.js'
import { ApiError } from '../errors.js'
import { created, operation } from '../http/operation.js'
import type { WebhookWithSecret } from '../interface/notifications.js'
import { limit } from '../lib/limits.js'
import { newWebhookSecret } from './signature.js'
import { toWebhookBody, webhookWithSecretBody } from './webhook.js'
import { lockWebhook, replaceWebhookSecret, webhookSecretContext } from './webhooks.store.js'

/** Replace the secret of the webhook. It is in this answer and in no other. */
export const rotateWebhookSecret = operation({
  operationId: 'rotateWebhookSecret',
  summary: 'Replace the secret of the webhook. It is shown in this answer and never again.',
  description:
    'For a secret that leaked, or from time to time. For a day each delivery is signed with both, so that the receiver can be changed meanwhile; replaced twice, the first one ends at once. Not idempotent. Costs one small transaction.',
  method: 'POST',
  path: '/webhook/secret',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [201, 404],
  success: webhookWithSecretBody,
  async handle({ principal }, { database, clock, sealer }) {
    const { organizationId } = principal
    const at = new Date(clock.now())
    const secret = newWebhookSecret()
    const row = await database.transaction(async (tx) => {
      const before = await lockWebhook(tx, organizationId)
      if (before === undefined) throw new ApiError('webhook_not_found')
      await recordAudit(tx, {
        principal,
        at,
        operation: 'rotateWebhookSecret',
        target: { type: 'webhook', id: before.webhook_id },
      })
      return await replaceWebhookSecret(tx, organizationId, {
        secretSealed: sealer.seal(secret, webhookSecretContext(organizationId, before.webhook_id)),
        previousUntil: new Date(at.getTime() + limit('webhookPreviousSecretMs')),
        at,
      })
    })
    return created({ ...toWebhookBody(row, at.getTime()), secret } satisfies WebhookWithSecret)
  },
})
