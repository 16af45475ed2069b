import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { listSuperpowerRows } from './superpowers.store.js'

/** The saved superpowers, by name: those that a post may name, and for the operator the deactivated ones too. Idempotent. */
export const listSuperpowers = operation({
  operationId: 'listSuperpowers',
  summary: 'List the saved superpowers that a post may name by creativeTemplateId.',
  description:
    "For choosing the creativeTemplateId of a post's superpower. A key sees the active ones, the operator the deactivated ones as well. Costs one read.",
  method: 'GET',
  path: '/superpowers',
  surfaces: ['v1', 'operator'],
  permission: 'superpowers:read',
  answers: [200],
  success: Joi.array().items(savedSuperpowerBody),
  async handle({ principal: { organizationId, actor }, meter }, { database }) {
    const rows = await listSuperpowerRows(database, organizationId, { activeOnly: actor.type === 'key' })
    meter.rows = rows.length
    return ok(rows.map(toSavedSuperpowerBody))
  },
})
