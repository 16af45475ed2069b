import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { listSuperpowerRows } from './superpowers.store.js'

/** The saved superpowers that a post may name, by name. Idempotent. */
export const listSuperpowers = operation({
  operationId: 'listSuperpowers',
  summary: 'List the saved superpowers that a post may name by creativeTemplateId.',
  method: 'GET',
  path: '/superpowers',
  answers: [200, 400, 402, 403, 422],
  success: Joi.array().items(savedSuperpowerBody),
  async handle({ principal, meter }, { database }) {
    const rows = await listSuperpowerRows(database, principal.organizationId, { activeOnly: true })
    meter.rows = rows.length
    return ok(rows.map(toSavedSuperpowerBody))
  },
})
