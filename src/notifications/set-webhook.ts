import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { ok, operation } from '../http/operation.js'
import type { WebhookPut, WebhookWithSecret } from '../interface/notifications.js'
import { newId } from '../lib/ids.js'
import { newWebhookSecret } from './signature.js'
import { checkWebhookUrl, toWebhookBody, URL_CHARS_MAX, webhookWithSecretBody } from './webhook.js'
import { insertWebhook, lockWebhook, setWebhookUrl, webhookSecretContext } from './webhooks.store.js'

/** Set where the organization is told of events. The first time makes the secret, which is in that answer alone. */
export const setWebhook = operation({
  operationId: 'setWebhook',
  summary: 'Set where the organization is told of events. The first time its secret is shown, and never again.',
  description:
    'For a program that must not poll (docs/notifications.md). Another address keeps the secret; what is still to be delivered goes there. Idempotent. Costs one small transaction.',
  method: 'PUT',
  path: '/webhook',
  surfaces: ['operator', 'console'],
  permission: 'settings:write',
  answers: [200, 400],
  body: Joi.object<WebhookPut, true>({
    url: Joi.string()
      .max(URL_CHARS_MAX)
      .required()
      .description('An https address of the public Internet, without a password.'),
  }),
  success: webhookWithSecretBody,
  async handle({ body: { url }, principal }, { config, database, clock, sealer }) {
    checkWebhookUrl(url, config.webhooks)
    const { organizationId } = principal
    const at = new Date(clock.now())
    const webhookId = newId('webhook')
    const secret = newWebhookSecret()
    const secretSealed = sealer.seal(secret, webhookSecretContext(organizationId, webhookId))
    const answer = await database.transaction(async (tx): Promise<WebhookWithSecret> => {
      const made = await insertWebhook(tx, organizationId, { webhookId, url, secretSealed, at })
      const before = made ?? (await lockWebhook(tx, organizationId))
      if (made === undefined && before?.url === url) return toWebhookBody(before, at.getTime())
      const row = made ?? (await setWebhookUrl(tx, organizationId, { url, at }))
      await recordAudit(tx, {
        principal,
        at,
        operation: 'setWebhook',
        target: { type: 'webhook', id: row.webhook_id },
        // The rest of an address may be a secret of the receiver's.
        changes: { host: new URL(url).host },
      })
      return { ...toWebhookBody(row, at.getTime()), ...(made === undefined ? {} : { secret }) }
    })
    return ok(answer)
  },
})
