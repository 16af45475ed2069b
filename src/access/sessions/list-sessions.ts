import Joi from 'joi'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { type Answer, type Call, okList, serverOperation } from '../../http/operation.js'
import type { ServerPrincipal } from '../../http/principal.js'
import type { Session } from '../../interface/generated/types.js'
import { findPerson } from '../people/people.store.js'
import { signInMethodSchema } from './me.js'
import { ownOperation } from './own-session.js'
import { listSessionRows, type SessionRow } from './sessions.store.js'

/** A session as it goes out, never with its token. */
const sessionBody = namedObject('Session', {
  id: Joi.string().required(),
  method: signInMethodSchema.required().description('How it began.'),
  userAgent: Joi.string().allow('').description('What the browser called itself.'),
  signInAddress: Joi.string().description('The address at which it began; absent where it was not noted.'),
  address: Joi.string().description(
    'The address from which it was last seen, to the minute; absent where it was not noted.',
  ),
  createdAt: Joi.string().isoDate().required(),
  lastSeenAt: Joi.string().isoDate().required().description('To the minute.'),
  expiresAt: Joi.string().isoDate().required(),
  current: Joi.boolean().required().description('Whether it is the one that asks.'),
})

/** One's own sessions, the most recently seen first. Idempotent. */
export const listSessions = ownOperation({
  operationId: 'listSessions',
  summary: 'List your own sessions, the most recently seen first.',
  description: 'For finding one that you do not know. Costs one read.',
  route: 'GET /me/sessions',
  answers: [200],
  success: Joi.array().items(sessionBody),
  handle: (call, context, { personId }) => answerSessions(call, context, personId),
})

/** The sessions of a person, the most recently seen first. Idempotent. */
export const listPersonSessions = serverOperation({
  operationId: 'listPersonSessions',
  summary: 'List the sessions of a person, the most recently seen first.',
  description: 'For seeing who is signed in from where. Costs two small reads.',
  route: 'GET /server/people/{personId}/sessions',
  permission: 'operator',
  answers: [200, 404],
  success: Joi.array().items(sessionBody),
  async handle(call, context) {
    const { personId } = call.params
    if ((await findPerson(context.database, personId)) === undefined) throw new ApiError('account_not_found')
    return await answerSessions(call, context, personId)
  },
})

async function answerSessions(
  { principal, meter }: Pick<Call<unknown, unknown, unknown, ServerPrincipal>, 'principal' | 'meter'>,
  { clock, database }: Context,
  personId: string,
): Promise<Answer> {
  const rows = await listSessionRows(database, personId, new Date(clock.now()))
  return okList(meter, rows, (row) => toSessionBody(row, principal.sessionId))
}

const toSessionBody = (row: SessionRow, currentId: string | undefined): Session => ({
  id: row.session_id,
  method: row.method,
  ...(row.user_agent === null ? {} : { userAgent: row.user_agent }),
  ...(row.address === null ? {} : { signInAddress: row.address }),
  ...(row.last_address === null ? {} : { address: row.last_address }),
  createdAt: row.created_at.toISOString(),
  lastSeenAt: row.last_seen_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  current: row.session_id === currentId,
})
