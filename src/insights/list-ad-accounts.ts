import Joi from 'joi'
import type { Context } from '../http/context.js'
import { type Answer, type Call, ok, operation } from '../http/operation.js'
import { type AdAccountRow, listAdAccountRows } from './ad-accounts.store.js'
import {
  adAccountBody,
  connectedAdAccountBody,
  toAdAccountBody,
  toConnectedAdAccountBody,
} from './connected-ad-account.js'

const shared = {
  route: 'GET /ad-accounts',
  permission: 'insights:read',
  answers: [200],
} as const

/** List the organization's ad accounts, by name (named by interface 4.2). Idempotent. */
export const listAdAccounts = operation({
  ...shared,
  operationId: 'listAdAccounts',
  summary: "List the organization's ad accounts.",
  description: 'For the adAccountId of the insights. By name. Costs one read.',
  surfaces: ['v1'],
  success: Joi.array().items(adAccountBody),
  handle: (call, context) => listAs(toAdAccountBody, call, context),
})

/** The same list for who connects the accounts: with whether each is connected to the ad platform. Idempotent. */
export const listOrganizationAdAccounts = operation({
  ...shared,
  operationId: 'listOrganizationAdAccounts',
  summary: "List an organization's ad accounts, by name, and whether each is connected to the ad platform.",
  description: 'For finding the account to connect: insights need an access token. By name. Costs one read.',
  success: Joi.array().items(connectedAdAccountBody),
  handle: (call, context) => listAs(toConnectedAdAccountBody, call, context),
})

async function listAs(
  toBody: (row: AdAccountRow) => object,
  { principal, meter }: Call,
  { database }: Context,
): Promise<Answer> {
  const rows = await listAdAccountRows(database, principal.organizationId)
  meter.rows = rows.length
  return ok(rows.map(toBody))
}
