import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { AdAccount } from '../interface/insights.js'
import { listAdAccountRows } from './ad-accounts.store.js'
import { connectedAdAccountBody, toConnectedAdAccountBody } from './connected-ad-account.js'

const shared = {
  method: 'GET',
  path: '/ad-accounts',
  answers: [200],
} as const

/** List the organization's ad accounts, by name (named by interface 4.2). Idempotent. */
export const listAdAccounts = operation({
  ...shared,
  operationId: 'listAdAccounts',
  summary: "List the organization's ad accounts.",
  description: 'For the adAccountId of the insights. By name. Costs one read.',
  surfaces: ['v1'],
  permission: 'insights:read',
  success: Joi.array().items(
    Joi.object<AdAccount, true>({
      id: Joi.string().required(),
      name: Joi.string().required(),
      currency: Joi.string().required(),
      timezone: Joi.string().required(),
    }),
  ),
  async handle({ principal, meter }, { database }) {
    const rows = await listAdAccountRows(database, principal.organizationId)
    meter.rows = rows.length
    return ok(
      rows.map(
        (row): AdAccount => ({ id: row.ad_account_id, name: row.name, currency: row.currency, timezone: row.timezone }),
      ),
    )
  },
})

/** The same list for who connects the accounts: with whether each is connected to the ad platform. Idempotent. */
export const listOrganizationAdAccounts = operation({
  ...shared,
  operationId: 'listOrganizationAdAccounts',
  summary: "List an organization's ad accounts, by name, and whether each is connected to the ad platform.",
  description: 'For finding the account to connect: insights need an access token. By name. Costs one read.',
  surfaces: ['operator', 'console'],
  permission: 'insights:read',
  success: Joi.array().items(connectedAdAccountBody),
  async handle({ principal, meter }, { database }) {
    const rows = await listAdAccountRows(database, principal.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toConnectedAdAccountBody))
  },
})
