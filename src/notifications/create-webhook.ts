import { recordAudit } from '../access/audit.store.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { created, operation } from '../http/operation.js'
import type { WebhookWithSecret } from '../interface/generated/types.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { newWebhookSecret } from './signature.js'
import { checkWebhookUrl, toWebhookBody, toWebhookChanges, webhookFields, webhookWithSecretBody } from './webhook.js'
import { countWebhooksForAddition, insertWebhook, webhookSecretContext } from './webhooks.store.js'

/** Adds a webhook. Its secret is in this answer and in no other. */
export const createWebhook = operation({
  operationId: 'createWebhook',
  summary: 'Add a webhook. Its secret is shown in this answer and never again.',
  description:
    'For a program that must not poll (docs/notifications.md). It is told of the events of its list from now on, or of all of them where it has no list. Not idempotent. Costs one small transaction.',
  route: 'POST /webhooks',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewWebhook', {
    name: webhookFields.name,
    url: webhookFields.url.required(),
    events: webhookFields.events,
  }),
  success: webhookWithSecretBody,
  async handle({ body, principal }, { config, database, clock, sealer }) {
    checkWebhookUrl(body.url, config.webhooks)
    const { organizationId } = principal
    const at = new Date(clock.now())
    const webhookId = newId('webhook')
    const secret = newWebhookSecret()
    const secretSealed = sealer.seal(secret, webhookSecretContext(organizationId, webhookId))
    const row = await database.transaction(async (tx) => {
      const count = await countWebhooksForAddition(tx, organizationId)
      if (count >= limit('webhooksOfOrganization')) throw new ApiError('webhooks_full')
      const inserted = await insertWebhook(tx, organizationId, { ...body, webhookId, secretSealed, at })
      const target = { type: 'webhook', id: webhookId } as const
      await recordAudit(tx, { principal, at, operation: 'createWebhook', target, changes: toWebhookChanges(body) })
      return inserted
    })
    return created({ ...toWebhookBody(row, at.getTime()), secret } satisfies WebhookWithSecret)
  },
})
