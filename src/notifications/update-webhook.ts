import Joi from 'joi'
import { named } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { changeWebhook } from './change-webhook.js'
import { checkWebhookUrl, toWebhookBody, toWebhookChanges, webhookBody, webhookFields } from './webhook.js'
import { updateWebhookRow } from './webhooks.store.js'

/** Changes the settings of a webhook. Its secret stays. */
export const updateWebhook = operation({
  operationId: 'updateWebhook',
  summary: 'Change the name, the address or the events of a webhook, or switch it off or on.',
  description:
    'Another address keeps the secret, and what is still to be delivered goes there. A webhook that is switched off is told of nothing new, and what waits for it waits until it is switched on. Idempotent. Costs one small transaction.',
  route: 'PATCH /webhooks/{webhookId}',
  permission: 'settings:write',
  answers: [200, 400, 404],
  body: named(
    'WebhookPatch',
    Joi.object({
      name: webhookFields.name,
      url: webhookFields.url,
      events: webhookFields.events
        .allow(null)
        .description('The events that it is told of; null for all of them, also those of later versions.'),
      active: Joi.boolean().description('Whether events are sent to it; `false` keeps what waits for it.'),
    }).min(1),
  ),
  success: webhookBody,
  async handle({ params: { webhookId }, body, principal }, context) {
    if (body.url !== undefined) checkWebhookUrl(body.url, context.config.webhooks)
    const entry = { principal, operation: 'updateWebhook', webhookId, changes: toWebhookChanges(body) }
    return await changeWebhook(context, entry, async (tx, webhook, at) =>
      ok(toWebhookBody(await updateWebhookRow(tx, webhook, body, at), at.getTime())),
    )
  },
})
