import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { toWebhookBody, webhookBody } from './webhook.js'
import { findWebhook } from './webhooks.store.js'

/** The webhook of the organization, without its secret. */
export const getWebhook = operation({
  operationId: 'getWebhook',
  summary: 'Get where the organization is told of events.',
  description: 'For checking the address. The secret is not in it. Costs one read.',
  method: 'GET',
  path: '/webhook',
  surfaces: ['operator', 'console'],
  permission: 'settings:read',
  answers: [200, 404],
  success: webhookBody,
  async handle({ principal }, { database, clock }) {
    const row = await findWebhook(database, principal.organizationId)
    if (row === undefined) throw new ApiError('webhook_not_found')
    return ok(toWebhookBody(row, clock.now()))
  },
})
