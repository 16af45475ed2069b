import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import type { AdAccount } from '../interface/insights.js'
import { listAdAccountRows } from './ad-accounts.store.js'

/** List the organization's ad accounts, by name (named by interface 4.2). Idempotent. */
export const listAdAccounts = operation({
  operationId: 'listAdAccounts',
  summary: "List the organization's ad accounts.",
  method: 'GET',
  path: '/ad-accounts',
  answers: [200, 400, 402, 403, 422],
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
