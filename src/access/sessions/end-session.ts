import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { recordServerAudit } from '../audit.store.js'
import { requireSessionOf } from './own-session.js'
import { deleteSession } from './sessions.store.js'

/** End one of one's own sessions. */
export const endSession = serverOperation({
  operationId: 'endSession',
  summary: 'End one of your own sessions.',
  description: 'Every node refuses it from now on. Costs one small write.',
  method: 'DELETE',
  path: '/sessions/{sessionId}',
  surfaces: ['console'],
  permission: 'self',
  isUnlimited: true,
  answers: [200, 404],
  params: Joi.object<{ sessionId: string }, true>({ sessionId: Joi.string().required() }),
  success: Joi.object({ id: Joi.string().required() }),
  async handle({ params: { sessionId }, principal }, { clock, database }) {
    const { personId } = requireSessionOf(principal)
    await database.transaction(async (tx) => {
      if (!(await deleteSession(tx, personId, sessionId))) throw new ApiError('session_not_found')
      await recordServerAudit(tx, principal.actor, {
        at: new Date(clock.now()),
        operation: 'endSession',
        target: { type: 'session', id: sessionId },
      })
    })
    return ok({ id: sessionId })
  },
})
