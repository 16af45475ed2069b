import Joi from 'joi'
import { ok, serverOperation } from '../../http/operation.js'
import { requireSessionOf } from './own-session.js'
import { SESSION_IDLE_MS } from './session.js'
import { sessionBody, toSessionBody } from './session-body.js'
import { listSessionRows } from './sessions.store.js'

/** One's own sessions, the most recently seen first. Idempotent. */
export const listSessions = serverOperation({
  operationId: 'listSessions',
  summary: 'List your own sessions, the most recently seen first.',
  description: 'For finding one that you do not know. Costs one read.',
  method: 'GET',
  path: '/sessions',
  surfaces: ['console'],
  permission: 'self',
  answers: [200],
  success: Joi.array().items(sessionBody),
  async handle({ principal, meter }, { clock, database }) {
    const { personId, sessionId } = requireSessionOf(principal)
    const now = clock.now()
    const rows = await listSessionRows(database, personId, {
      now: new Date(now),
      idleSince: new Date(now - SESSION_IDLE_MS),
    })
    meter.rows = rows.length
    return ok(rows.map((row) => toSessionBody(row, sessionId)))
  },
})
