import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, serverOperation } from '../../http/operation.js'
import { findPerson } from '../people/people.store.js'
import { personParams } from '../people/person.js'
import { SESSION_IDLE_MS } from './session.js'
import { sessionBody, toSessionBody } from './session-body.js'
import { listSessionRows } from './sessions.store.js'

/** The sessions of a person, the most recently seen first. Idempotent. */
export const listPersonSessions = serverOperation({
  operationId: 'listPersonSessions',
  summary: 'List the sessions of a person, the most recently seen first.',
  description: 'For seeing who is signed in from where. Costs two small reads.',
  method: 'GET',
  path: '/people/{personId}/sessions',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  answers: [200, 404],
  params: personParams,
  success: Joi.array().items(sessionBody),
  async handle({ params: { personId }, principal: { sessionId }, meter }, { clock, database }) {
    if ((await findPerson(database, personId)) === undefined) throw new ApiError('account_not_found')
    const now = clock.now()
    const rows = await listSessionRows(database, personId, {
      now: new Date(now),
      idleSince: new Date(now - SESSION_IDLE_MS),
    })
    meter.rows = rows.length
    return ok(rows.map((row) => toSessionBody(row, sessionId)))
  },
})
