import Joi from 'joi'
import { ok, serverOperation } from '../../http/operation.js'
import { recordAudit, SERVER } from '../audit.store.js'
import { clearCookie } from './cookie.js'
import { requireSessionOf } from './own-session.js'
import { deleteSession } from './sessions.store.js'

/** End the session that calls. */
export const signOut = serverOperation({
  operationId: 'signOut',
  summary: 'End this session.',
  description: 'Every node refuses the session from now on, and the browser drops its cookie. Costs one small write.',
  method: 'POST',
  path: '/sign-out',
  surfaces: ['console'],
  permission: 'self',
  answers: [200],
  success: Joi.object({}),
  async handle({ principal }, { clock, database }) {
    const { personId, sessionId } = requireSessionOf(principal)
    await database.transaction(async (tx) => {
      await deleteSession(tx, personId, sessionId)
      await recordAudit(tx, {
        principal: { organizationId: SERVER, actor: principal.actor },
        at: new Date(clock.now()),
        operation: 'signOut',
        target: { type: 'session', id: sessionId },
      })
    })
    return ok({}, clearCookie())
  },
})
