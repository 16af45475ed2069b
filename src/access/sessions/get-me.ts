import { ApiError } from '../../errors.js'
import { ok } from '../../http/operation.js'
import { findPerson } from '../people/people.store.js'
import { meBody, toMe, toOwnSession } from './me.js'
import { ownOperation } from './own-session.js'
import { findSessionById } from './sessions.store.js'

/** Tells who is signed in, and what they may do where. Idempotent. */
export const getMe = ownOperation({
  operationId: 'getMe',
  summary: 'Tell who is signed in, and what they may do in which organization.',
  description: 'The first call of a page: 401 says that no one is signed in. Costs two small reads.',
  route: 'GET /me',
  answers: [200],
  success: meBody,
  async handle(_call, { clock, database }, { personId, sessionId }) {
    const person = await findPerson(database, personId)
    const session = await findSessionById(database, sessionId)
    if (person === undefined || session === undefined) throw new ApiError('session_ended')
    return ok(await toMe(database, person, toOwnSession(sessionId, session, clock.now())))
  },
})
