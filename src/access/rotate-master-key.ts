import Joi from 'joi'
import { ok, operatorOperation } from '../http/operation.js'
import type { Rotation, RotationStep } from '../interface/types.js'

/** Rotate the master key, a step at a time: the caller repeats it with the `after` of each answer until there is none. */
export const rotateMasterKey = operatorOperation<unknown, unknown, Rotation>({
  operationId: 'rotateMasterKey',
  summary: 'Seal the next secrets under the new master key. Repeat it with `after` until an answer has none.',
  method: 'POST',
  path: '/master-key/rotate',
  answers: [200, 400, 401, 422],
  body: Joi.object<Rotation, true>({ after: Joi.string() }),
  success: Joi.object<RotationStep, true>({
    keyId: Joi.string().required(),
    resealed: Joi.number().integer().required(),
    unopened: Joi.number().integer().required(),
    remaining: Joi.number().integer().required(),
    after: Joi.string(),
  }),
  async handle({ body: { after } }, { rotateMasterKey }) {
    return ok(await rotateMasterKey(after))
  },
})
