import Joi from 'joi'
import { ok, serverOperation } from '../../http/operation.js'
import { recordServerAudit } from '../audit.store.js'
import { clearSession } from './cookie.js'
import { requireSessionOf } from './own-session.js'
import { deleteSessions } from './sessions.store.js'

/** End all of one's own sessions, this one too. */
export const signOutEverywhere = serverOperation({
  operationId: 'signOutEverywhere',
  summary: 'End all of your sessions, this one too.',
  description: 'For a device that was lost: every node refuses all of them from now on. Costs one small write.',
  method: 'DELETE',
  path: '/sessions',
  surfaces: ['console'],
  permission: 'self',
  isUnlimited: true,
  answers: [200],
  success: Joi.object({ ended: Joi.number().integer().required() }),
  async handle({ principal }, { clock, database }) {
    const { personId } = requireSessionOf(principal)
    const ended = await database.transaction(async (tx) => {
      await recordServerAudit(tx, principal.actor, {
        at: new Date(clock.now()),
        operation: 'signOutEverywhere',
        target: { type: 'user', id: personId },
      })
      return await deleteSessions(tx, personId)
    })
    return ok({ ended }, clearSession())
  },
})
