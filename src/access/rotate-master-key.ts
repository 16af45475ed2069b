import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'

/**
 * Rotate the master key, a step at a time: the caller repeats it with the `after` of each answer until there is
 * none.
 */
export const rotateMasterKey = serverOperation({
  operationId: 'rotateMasterKey',
  summary: 'Seal the next secrets under the new master key.',
  description:
    'Repeat it with `after` until an answer has none: then the old key is not needed any more. Each call seals up to 500 secrets again, in a transaction of its own, and other requests are answered in between. A rotation that was broken off goes on where it was when it is called without `after`; repeating a step changes nothing.',
  route: 'POST /server/master-key/rotate',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400],
  body: namedObject('Rotation', {
    after: Joi.string().description('That of the last answer; without it a rotation begins, or goes on.'),
  }),
  success: namedObject('RotationStep', {
    keyId: Joi.string().required().description('Id of the new key. It tells nothing of the key itself.'),
    resealed: Joi.number().integer().required().description('Secrets that this step has sealed under the new key.'),
    unopened: Joi.number()
      .integer()
      .required()
      .description("Secrets that open under none of the server's keys, and were left as they are."),
    remaining: Joi.number().integer().required().description('Secrets that are still to do.'),
    after: Joi.string().description('For the next step; absent when the rotation is done.'),
  }),
  async handle({ body: { after }, principal: { actor } }, { rotateMasterKey }) {
    return ok(await rotateMasterKey(after, actor))
  },
})
