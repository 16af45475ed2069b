import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { deactivateSuperpowerRow } from './superpowers.store.js'

/** Deactivate a saved superpower: no post can name it any more; posts that hold a copy keep it. Idempotent. */
export const deactivateSuperpower = operation({
  operationId: 'deactivateSuperpower',
  summary: 'Deactivate a saved superpower: no post can name it any more.',
  description:
    'For a superpower that no further post should use; posts that hold a copy keep it. Idempotent. Costs one small transaction.',
  method: 'DELETE',
  path: '/superpowers/{creativeTemplateId}',
  surfaces: ['operator'],
  permission: 'superpowers:write',
  answers: [200, 404],
  params: Joi.object<{ creativeTemplateId: string }, true>({ creativeTemplateId: Joi.string().required() }),
  success: savedSuperpowerBody,
  async handle({ params: { creativeTemplateId }, principal }, { clock, database }) {
    const row = await database.transaction(async (tx) => {
      const deactivated = await deactivateSuperpowerRow(tx, principal.organizationId, creativeTemplateId)
      if (deactivated === undefined) throw new ApiError('superpower_not_found')
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'deactivateSuperpower',
        target: { type: 'superpower', id: creativeTemplateId },
      })
      return deactivated
    })
    return ok(toSavedSuperpowerBody(row))
  },
})
