import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { recordServerAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { personParams } from '../people/person.js'
import { deleteSessions } from './sessions.store.js'

/** End all sessions of a person. */
export const endPersonSessions = serverOperation({
  operationId: 'endPersonSessions',
  summary: 'End all sessions of a person.',
  description: 'For a device that was lost: every node refuses them from now on. Costs one small transaction.',
  method: 'DELETE',
  path: '/people/{personId}/sessions',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  answers: [200, 404],
  params: personParams,
  success: Joi.object({ ended: Joi.number().integer().required() }),
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const ended = await database.transaction(async (tx) => {
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      await recordServerAudit(tx, actor, {
        at: new Date(clock.now()),
        operation: 'endPersonSessions',
        target: { type: 'user', id: personId },
      })
      return await deleteSessions(tx, personId)
    })
    return ok({ ended })
  },
})
