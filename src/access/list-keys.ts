import Joi from 'joi'
import { okList, operation } from '../http/operation.js'
import { keyBody, toKeyBody } from './key.js'
import { listKeyRows } from './keys.store.js'

/** List an organization's keys, oldest first, revoked ones included, without their secrets. Idempotent. */
export const listKeys = operation({
  operationId: 'listKeys',
  summary: "List an organization's keys, oldest first, revoked ones included.",
  description: 'For reviewing who can call, and for finding the key to revoke. Secrets are not in it. Costs one read.',
  route: 'GET /keys',
  permission: 'settings:read',
  answers: [200],
  success: Joi.array().items(keyBody),
  async handle({ principal, meter }, { config, database }) {
    return okList(meter, await listKeyRows(database, principal.organizationId), (row) =>
      toKeyBody(row, config.access.keyMaxAgeMs),
    )
  },
})
