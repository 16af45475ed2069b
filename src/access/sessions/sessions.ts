import Joi from 'joi'
import { recordAccountAudit, recordSessionAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { type Answer, type Call, ok, okList, serverOperation } from '../../http/operation.js'
import type { Actor, ServerPrincipal } from '../../http/principal.js'
import type { Session, SignedOut } from '../../interface/generated/types.js'
import { findPerson, lockPeople, lockPerson } from '../people/people.store.js'
import { endTokens } from '../tokens/personal-tokens.store.js'
import { clearSession, unlockIdToken } from './cookie.js'
import { signInMethodSchema } from './me.js'
import { ownOperation } from './own-session.js'
import {
  deleteHalfSession,
  deleteSession,
  deleteSessions,
  findSessionById,
  listSessionRows,
  type SessionRow,
} from './sessions.store.js'

/** A session in a response, without its token. */
const sessionBody = namedObject('Session', {
  id: Joi.string().required(),
  method: signInMethodSchema.required().description('How the session began.'),
  userAgent: Joi.string().allow('').description('The User-Agent header of the browser.'),
  signInAddress: Joi.string().description('The address at the sign-in. Absent if it was not recorded.'),
  address: Joi.string().description('The address of the last use, to the minute. Absent if it was not recorded.'),
  createdAt: Joi.string().isoDate().required(),
  lastSeenAt: Joi.string().isoDate().required().description('To the minute.'),
  expiresAt: Joi.string().isoDate().required(),
  current: Joi.boolean().required().description('Whether this is the session that calls.'),
})

export const listSessions = ownOperation({
  operationId: 'listSessions',
  summary: 'List your own sessions, the most recently used first.',
  description: 'For finding a session that is not yours. Idempotent. Costs one read.',
  route: 'GET /me/sessions',
  success: Joi.array().items(sessionBody),
  handle: (call, context, { personId }) => answerSessions(call, context, personId),
})

export const listPersonSessions = serverOperation({
  operationId: 'listPersonSessions',
  summary: 'List the sessions of a person, the most recently used first.',
  description: 'For seeing from where a person is signed in. Idempotent. Costs two small reads.',
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

const endedBody = Joi.object({ ended: Joi.number().integer().required() })

export const endSession = ownOperation({
  operationId: 'endSession',
  summary: 'End one of your own sessions.',
  description: 'Every node refuses it from now on. Costs one small write.',
  route: 'DELETE /me/sessions/{sessionId}',
  isUnlimited: true,
  answers: [200, 404],
  success: Joi.object({ id: Joi.string().required() }),
  async handle({ params: { sessionId } }, { clock, database }, { personId }) {
    await database.transaction(async (tx) => {
      if (!(await deleteSession(tx, personId, sessionId))) throw new ApiError('session_not_found')
      await recordSessionAudit(tx, { personId, sessionId }, { at: new Date(clock.now()), operation: 'endSession' })
    })
    return ok({ id: sessionId })
  },
})

export const signOutEverywhere = ownOperation({
  operationId: 'signOutEverywhere',
  summary: 'End all of your sessions, including this one, and revoke your personal tokens.',
  description:
    'For a lost device with programs on it: every node refuses all sessions and tokens from now on. Costs one small transaction.',
  route: 'DELETE /me/sessions',
  isUnlimited: true,
  success: endedBody,
  async handle({ principal }, { clock, database }, { personId }) {
    const at = new Date(clock.now())
    const ended = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId] })
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'signOutEverywhere' })
      return await endAll(tx, personId, principal.actor, at)
    })
    return ok({ ended }, clearSession())
  },
})

export const endPersonSessions = serverOperation({
  operationId: 'endPersonSessions',
  summary: 'End all sessions of a person, and revoke their personal tokens.',
  description:
    'For a lost device, or a person who can no longer be trusted: every node refuses the sessions and tokens from now on. Costs one small transaction.',
  route: 'DELETE /server/people/{personId}/sessions',
  permission: 'operator',
  answers: [200, 404],
  success: endedBody,
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const at = new Date(clock.now())
    const ended = await database.transaction(async (tx) => {
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      await recordAccountAudit(tx, actor, personId, { at, operation: 'endPersonSessions' })
      return await endAll(tx, personId, actor, at)
    })
    return ok({ ended })
  },
})

/** Returns the number of sessions. */
async function endAll(tx: Queryable, personId: string, actor: Actor, at: Date): Promise<number> {
  await endTokens(tx, personId, actor, at)
  return await deleteSessions(tx, personId)
}

export const signOut = ownOperation({
  operationId: 'signOut',
  summary: 'End this session.',
  description:
    'Every node refuses the session from now on, and the browser drops its cookie. If the session began with the identity provider, the response has the URL for signing out there too, unless the provider is unreachable. Costs one small write.',
  route: 'POST /sign-out',
  permission: ['account', 'second-factor'],
  isUnlimited: true,
  success: namedObject('SignedOut', { endSessionUrl: Joi.string() }),
  async handle({ headers }, { clock, database, identityProvider }, own) {
    const { personId, sessionId } = own
    const session = await database.transaction(async (tx) => {
      const session = await findSessionById(tx, sessionId)
      await deleteSession(tx, personId, sessionId)
      await deleteHalfSession(tx, sessionId)
      await recordSessionAudit(tx, own, { at: new Date(clock.now()), operation: 'signOut' })
      return session
    })
    if (session?.method !== 'oidc') return ok({} satisfies SignedOut, clearSession())
    const idToken = unlockIdToken(session.id_token_encrypted, personId, headers)
    const endSessionUrl = await identityProvider?.endSessionUrl(idToken).catch(() => undefined)
    return ok((endSessionUrl === undefined ? {} : { endSessionUrl }) satisfies SignedOut, clearSession())
  },
})
