import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'
import { idOfActor } from '../http/principal.js'

/** Tells callers who they are, and what they may do. Idempotent. */
export const getCaller = serverOperation({
  operationId: 'getCaller',
  summary: 'Tell who calls, and what they may do.',
  description: 'For checking credentials, and what a key was issued with. Costs nothing beyond any call.',
  method: 'GET',
  path: '/whoami',
  surfaces: ['v1', 'api'],
  permission: 'self',
  answers: [200],
  success: namedObject('Caller', {
    type: Joi.string().valid('key', 'operator', 'user').required(),
    id: Joi.string().description(
      'Of the key or the person, or the name of the operator token; absent for that of the environment.',
    ),
    organizationId: Joi.string().description('Of a key.'),
    permissions: Joi.array().items(Joi.string()).required(),
  }),
  handle({ principal }) {
    const { actor, permissions } = principal
    const id = idOfActor(actor)
    return ok({
      type: actor.type,
      ...(id === null ? {} : { id }),
      ...('organizationId' in principal ? { organizationId: principal.organizationId } : {}),
      permissions: [...permissions],
    })
  },
})
