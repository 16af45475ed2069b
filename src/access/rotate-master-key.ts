import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'

export const rotateMasterKey = serverOperation({
  operationId: 'rotateMasterKey',
  summary: 'Reseal the next secrets under the new master key.',
  description:
    'Repeat the call with the `after` of each response until a response has none: then the old key is no longer needed. Each call reseals up to 500 secrets in its own transaction, and other requests are answered in between. Without `after`, an interrupted rotation continues. Repeating a step changes nothing.',
  route: 'POST /server/master-key/rotate',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400],
  body: namedObject('Rotation', {
    after: Joi.string().description('The `after` of the last response. Without it, a rotation begins or continues.'),
  }),
  success: namedObject('RotationStep', {
    keyId: Joi.string().required().description('The id of the new key. It reveals nothing about the key itself.'),
    resealed: Joi.number().integer().required().description('Secrets that this step resealed under the new key.'),
    unopened: Joi.number()
      .integer()
      .required()
      .description("Secrets that open under none of the server's keys and were left as they are."),
    remaining: Joi.number().integer().required().description('Secrets that remain.'),
    after: Joi.string().description('Send it with the next call. Absent when the rotation is finished.'),
  }),
  async handle({ body: { after }, principal: { actor } }, { rotateMasterKey }) {
    return ok(await rotateMasterKey(after, actor))
  },
})
