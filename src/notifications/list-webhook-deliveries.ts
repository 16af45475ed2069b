import Joi from 'joi'
import { afterSchema, countedPageBody, readNumber, toCountedPage } from '../http/cursor.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import { createOpaqueNumbers } from '../lib/opaque-numbers.js'
import { listDeliveryRows } from './deliveries.store.js'
import { deliveryBody, toDeliveryBody } from './webhook.js'

const PAGE = { fallback: 50, max: 200 }

/** Lists the deliveries to the webhooks of the organization, latest first, with their outcomes. */
export const listWebhookDeliveries = operation({
  operationId: 'listWebhookDeliveries',
  summary: 'List what the webhooks were told, latest first, and what came of it.',
  description:
    'For finding out why a receiver has missed an event. Entries are kept for 30 days. Costs one walk of an index.',
  route: 'GET /webhook-deliveries',
  permission: 'settings:read',
  answers: [200],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Deliveries per page: 50 by default, 200 at most.'),
    after: afterSchema,
    webhookId: Joi.string().description('Only those to this webhook, which may be removed by now.'),
  }),
  success: countedPageBody(deliveryBody),
  async handle({ query, principal, meter }, { database, cursorKey }) {
    const rows = Math.min(query.limit, PAGE.max)
    // One sequence numbers the deliveries of all organizations: a cursor tells nothing of the others.
    const numbers = createOpaqueNumbers(cursorKey, 'greenroom delivery', principal.organizationId)
    const before = readNumber(numbers, query.after)
    const found = await listDeliveryRows(database, principal.organizationId, {
      webhookId: query.webhookId,
      before,
      rows,
    })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const nextCursor = found.length > page.length ? numbers.hide(page.at(-1)!.number) : null
    return ok(toCountedPage(page.map(toDeliveryBody), nextCursor))
  },
})
