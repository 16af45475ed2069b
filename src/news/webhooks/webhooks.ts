import Joi from 'joi'
import { changeAudited } from '../../audit/audited-change.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { afterSchema, countedPageBody, readNumber, toCountedPage } from '../../http/cursor.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, okList, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import type { WebhookWithSecret } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { createOpaqueNumbers } from '../../lib/opaque-numbers.js'
import { newEventId } from '../events.store.js'
import {
  endPendingDeliveries,
  findDelivery,
  insertDelivery,
  listDeliveryRows,
  restartDelivery,
} from './deliveries.store.js'
import { newWebhookSecret } from './signature.js'
import {
  checkWebhookUrl,
  deliveryBody,
  shownDeliveryBody,
  toDeliveryBody,
  toShownDeliveryBody,
  toWebhookBody,
  toWebhookChanges,
  webhookBody,
  webhookFields,
  webhookWithSecretBody,
} from './webhook.js'
import {
  countWebhooksForAddition,
  deleteWebhookRow,
  insertWebhook,
  listWebhookRows,
  lockWebhook,
  replaceWebhookSecret,
  updateWebhookRow,
  type WebhookRow,
  webhookSecretContext,
} from './webhooks.store.js'

export const createWebhook = operation({
  operationId: 'createWebhook',
  summary: 'Add a webhook. Only this answer contains its secret.',
  description:
    'For a program that should not poll (docs/notifications.md). From now on, the events in its list are sent to it, or all events if it has no list. Not idempotent. Costs one small transaction.',
  route: 'POST /webhooks',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewWebhook', {
    name: webhookFields.name,
    url: webhookFields.url.required(),
    events: webhookFields.events,
  }),
  success: webhookWithSecretBody,
  async handle({ body, principal }, context) {
    checkWebhookUrl(body.url, context.config.webhooks)
    const { organizationId } = principal
    const webhookId = newId('webhook')
    const secret = newWebhookSecret()
    const secretSealed = context.sealer.seal(secret, webhookSecretContext(organizationId, webhookId))
    const row = await changeAudited(context, principal, 'createWebhook', async (tx, record, at) => {
      const count = await countWebhooksForAddition(tx, organizationId)
      if (count >= limit('webhooksOfOrganization')) throw new ApiError('webhooks_full')
      await record('webhook', webhookId, toWebhookChanges(body))
      return await insertWebhook(tx, organizationId, { ...body, webhookId, secretSealed, at })
    })
    return created({ ...toWebhookBody(row, context.clock.now()), secret } satisfies WebhookWithSecret)
  },
})

export const listWebhooks = operation({
  operationId: 'listWebhooks',
  summary: 'List the webhooks of the organization, oldest first.',
  description: 'For reviewing who receives what. Secrets are not included. Idempotent. Costs one read.',
  route: 'GET /webhooks',
  permission: 'settings:read',
  success: Joi.array().items(webhookBody),
  async handle({ principal, meter }, { database, clock }) {
    const rows = await listWebhookRows(database, principal.organizationId)
    return okList(meter, rows, (row) => toWebhookBody(row, clock.now()))
  },
})

export const updateWebhook = operation({
  operationId: 'updateWebhook',
  summary: 'Change the name, the address or the events of a webhook, or switch it off or on.',
  description:
    'If the address changes, the secret stays the same, and waiting deliveries go to the new address. While a webhook is switched off, no new events are queued, and waiting deliveries stay on hold. Idempotent. Costs one small transaction.',
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
        .description('The events to send; null for all, including those that later versions add.'),
      active: Joi.boolean().description(
        'Whether events are sent. While `false`, waiting deliveries stay on hold, and no new events are queued.',
      ),
    }).min(1),
  ),
  success: webhookBody,
  async handle({ params: { webhookId }, body, principal }, context) {
    if (body.url !== undefined) checkWebhookUrl(body.url, context.config.webhooks)
    const change = { principal, operation: 'updateWebhook', webhookId, changes: toWebhookChanges(body) }
    return await changeWebhook(context, change, async (tx, webhook, at) =>
      ok(toWebhookBody(await updateWebhookRow(tx, webhook, body, at), at.getTime())),
    )
  },
})

export const rotateWebhookSecret = operation({
  operationId: 'rotateWebhookSecret',
  summary: 'Replace the secret of a webhook. Only this answer contains the new one.',
  description:
    'For a secret that leaked, or as a routine. For a day each delivery is signed with both secrets, so that you can update the receiver. Replacing the secret again within that day ends the oldest one at once. Not idempotent. Costs one small transaction.',
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

export const deleteWebhook = operation({
  operationId: 'deleteWebhook',
  summary: 'Remove a webhook. Its waiting deliveries fail.',
  description:
    'For a receiver that no longer exists. The log of deliveries stays. A new webhook with the same address gets a new secret. Costs one small transaction.',
  route: 'DELETE /webhooks/{webhookId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: webhookBody,
  handle: ({ params: { webhookId }, principal }, context) =>
    changeWebhook(context, { principal, operation: 'deleteWebhook', webhookId }, async (tx, webhook, at) => {
      await endPendingDeliveries(tx, webhook, 'The webhook was removed.')
      await deleteWebhookRow(tx, webhook)
      return ok(toWebhookBody(webhook, at.getTime()))
    }),
})

export const testWebhook = operation({
  operationId: 'testWebhook',
  summary: 'Send a webhook an event of type test.',
  description:
    'For trying out a receiver. The event is sent within seconds and retried like any other; listWebhookDeliveries shows the outcome. Not idempotent. Costs one small transaction.',
  route: 'POST /webhooks/{webhookId}/test',
  permission: 'settings:write',
  answers: [201, 404, 409],
  success: deliveryBody,
  handle: ({ params: { webhookId }, principal }, context) =>
    changeWebhook(context, { principal, operation: 'testWebhook', webhookId }, async (tx, webhook, at) => {
      requireActive(webhook)
      const { organization_id } = webhook
      const event = { organization_id, event_id: newEventId(), type: 'test', at, data: {} } as const
      // The id is new, so the delivery cannot already exist.
      const row = (await insertDelivery(tx, webhookId, event, at))!
      return created(toDeliveryBody(row))
    }),
})

const PAGE = { fallback: 50, max: 200 }

export const listWebhookDeliveries = operation({
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries to webhooks and their outcomes, latest first.',
  description:
    'For finding out why a receiver missed an event. Deliveries are kept for 30 days. Idempotent. Costs one index scan.',
  route: 'GET /webhook-deliveries',
  permission: 'settings:read',
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Deliveries per page: 50 by default, 200 at most.'),
    after: afterSchema,
    webhookId: Joi.string().description('Only deliveries to this webhook, which may have been removed since.'),
  }),
  success: countedPageBody(deliveryBody),
  async handle({ query, principal, meter }, { database, cursorKey }) {
    const rows = Math.min(query.limit, PAGE.max)
    // One sequence numbers the deliveries of all organizations. Opaque cursors reveal nothing about the others.
    const numbers = createOpaqueNumbers(cursorKey, 'greenroom delivery', principal.organizationId)
    const before = readNumber(numbers, query.after)
    const { webhookId } = query
    const found = await listDeliveryRows(database, principal.organizationId, { webhookId, before, rows })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const nextCursor = found.length > page.length ? numbers.hide(page.at(-1)!.number) : null
    return ok(toCountedPage(page.map(toDeliveryBody), nextCursor))
  },
})

export const getWebhookDelivery = operation({
  operationId: 'getWebhookDelivery',
  summary: "Get a delivery with its body and the receiver's last answer.",
  description:
    'For finding out why a receiver refuses an event. The first 2 kB of the last answer are kept as long as the delivery. Idempotent. Costs one read.',
  route: 'GET /webhooks/{webhookId}/deliveries/{deliveryId}',
  permission: 'settings:read',
  answers: [200, 404],
  success: shownDeliveryBody,
  async handle({ params: { webhookId, deliveryId }, principal }, { database }) {
    const row = await findDelivery(database, principal.organizationId, webhookId, deliveryId)
    if (row === undefined) throw new ApiError('delivery_not_found')
    return ok(toShownDeliveryBody(row))
  },
})

export const resendWebhookDelivery = operation({
  operationId: 'resendWebhookDelivery',
  summary: 'Send a delivery again, whatever its outcome was.',
  description:
    'For an event that the receiver lost. The event keeps its id and is sent within seconds; listWebhookDeliveries shows the outcome. Costs one small transaction.',
  route: 'POST /webhooks/{webhookId}/deliveries/{deliveryId}/send',
  permission: 'settings:write',
  answers: [200, 404, 409],
  success: deliveryBody,
  handle({ params: { webhookId, deliveryId }, principal }, context) {
    const change = { principal, operation: 'resendWebhookDelivery', webhookId, changes: { deliveryId } }
    return changeWebhook(context, change, async (tx, webhook, at) => {
      requireActive(webhook)
      const row = await restartDelivery(tx, webhook, deliveryId, at)
      if (row === undefined) throw new ApiError('delivery_not_found')
      return ok(toDeliveryBody(row))
    })
  },
})

interface ChangeOfWebhook {
  principal: Principal
  operation: string
  webhookId: string
  changes?: Record<string, unknown>
}

/** Runs a change of a locked webhook and records it, in one transaction. Throws webhook_not_found. */
const changeWebhook = <T>(
  context: Context,
  { principal, operation, webhookId, changes }: ChangeOfWebhook,
  change: (tx: Queryable, webhook: WebhookRow, at: Date) => Promise<T>,
): Promise<T> =>
  changeAudited(context, principal, operation, async (tx, record, at) => {
    const webhook = await lockWebhook(tx, principal.organizationId, webhookId)
    if (webhook === undefined) throw new ApiError('webhook_not_found')
    await record('webhook', webhookId, changes)
    return await change(tx, webhook, at)
  })

/** Throws webhook_inactive, because an event for a webhook that is switched off would wait indefinitely. */
function requireActive({ active }: WebhookRow): void {
  if (!active) throw new ApiError('webhook_inactive')
}
