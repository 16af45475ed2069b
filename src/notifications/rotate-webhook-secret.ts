import { created, operation } from '../http/operation.js'
import type { WebhookWithSecret } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import { changeWebhook } from './change-webhook.js'
import { newWebhookSecret } from './signature.js'
import { toWebhookBody, webhookWithSecretBody } from './webhook.js'
import { replaceWebhookSecret, webhookSecretContext } from './webhooks.store.js'

/** Replaces the secret of a webhook. It is in this answer and in no other. */
export const rotateWebhookSecret = operation({
  operationId: 'rotateWebhookSecret',
  summary: 'Replace the secret of a webhook. It is shown in this answer and never again.',
  description:
    'For a secret that leaked, or from time to time. For a day each delivery is signed with both, so that the receiver can be changed meanwhile; replaced twice, the first one ends at once. Not idempotent. Costs one small transaction.',
  route: 'POST /webhooks/{webhookId}/secret',
  permission: 'settings:write',
  answers: [201, 404],
  success: webhookWithSecretBody,
  handle: ({ params: { webhookId }, principal }, context) =>
    changeWebhook(context, { principal, operation: 'rotateWebhookSecret', webhookId }, async (tx, webhook, at) => {
      const secret = newWebhookSecret()
      const row = await replaceWebhookSecret(tx, webhook, {
        secretSealed: context.sealer.seal(secret, webhookSecretContext(webhook.organization_id, webhookId)),
        previousUntil: new Date(at.getTime() + limit('webhookPreviousSecretMs')),
        at,
      })
      return created({ ...toWebhookBody(row, at.getTime()), secret } satisfies WebhookWithSecret)
    }),
})
