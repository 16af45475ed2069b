import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationParams } from '../http/params.js'
import { listAdAccountRows } from './ad-accounts.store.js'
import { connectedAdAccountBody, toConnectedAdAccountBody } from './connected-ad-account.js'

/** List an organization's ad accounts, by name, and whether each is connected to the ad platform. Idempotent. */
export const listOrganizationAdAccounts = operatorOperation({
  operationId: 'listOrganizationAdAccounts',
  summary: "List an organization's ad accounts, by name, and whether each is connected to the ad platform.",
  method: 'GET',
  path: '/organizations/{organizationId}/ad-accounts',
  answers: [200, 401, 404, 422],
  params: organizationParams,
  success: Joi.array().items(connectedAdAccountBody),
  async handle({ params, meter }, { database }) {
    await requireOrganization(database, params.organizationId)
    const rows = await listAdAccountRows(database, params.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toConnectedAdAccountBody))
  },
})
