import Joi from 'joi'
import { okList, operation } from '../http/operation.js'
import { toWebhookBody, webhookBody } from './webhook.js'
import { listWebhookRows } from './webhooks.store.js'

/** The webhooks of the organization, without their secrets. */
export const listWebhooks = operation({
  operationId: 'listWebhooks',
  summary: 'List the webhooks of the organization, oldest first.',
  description: 'For reviewing who is told of what. Secrets are not in it. Costs one read.',
  route: 'GET /webhooks',
  permission: 'settings:read',
  answers: [200],
  success: Joi.array().items(webhookBody),
  async handle({ principal, meter }, { database, clock }) {
    const rows = await listWebhookRows(database, principal.organizationId)
    return okList(meter, rows, (row) => toWebhookBody(row, clock.now()))
  },
})
