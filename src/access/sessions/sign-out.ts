import Joi from 'joi'
import { ok } from '../../http/operation.js'
import type { SignedOut } from '../../interface/people.js'
import { recordSessionAudit } from '../audit.store.js'
import { clearSession } from './cookie.js'
import { deleteHalfSession } from './half-sessions.store.js'
import { unlockIdToken } from './id-token.js'
import { ownOperation } from './own-session.js'
import { deleteSession, findSessionById } from './sessions.store.js'

/** End the session that calls. */
export const signOut = ownOperation({
  operationId: 'signOut',
  summary: 'End this session.',
  description:
    'Every node refuses the session from now on, and the browser drops its cookie. Of a session by the identity provider it tells where the person signs out there too, if the provider answers. Costs one small write.',
  method: 'POST',
  path: '/sign-out',
  permission: ['self', 'second-factor'],
  isUnlimited: true,
  answers: [200],
  success: Joi.object<SignedOut, true>({ endSessionUrl: Joi.string() }),
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
