import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { type Answer, ok } from '../../http/operation.js'
import type { PasskeyRequest, SecondFactorChoice, SecondFactorMethod } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { newToken } from '../../lib/tokens.js'
import { recordSessionAudit } from '../audit.store.js'
import { lockPerson } from '../people/people.store.js'
import { signedInHeaders } from '../sessions/device.js'
import {
  deleteHalfSession,
  type HalfSessionRow,
  lockHalfSession,
  setHalfSessionChallenge,
  setHalfSessionFailures,
} from '../sessions/half-sessions.store.js'
import { meBody, secondFactorMethodsSchema, toMe } from '../sessions/me.js'
import { noteSignIn } from '../sessions/note-sign-in.js'
import { type OwnCall, type OwnSession, ownOperation } from '../sessions/own-session.js'
import { continueSession, methodsOf } from '../sessions/session.js'
import { codeBody, proofBody, requestBody } from './bodies.js'
import { makeRequestOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { byPasskey, byRecoveryCode, byTotp, type Prove } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'
import { findFactors } from './second-factors.store.js'

const FAILURES_MAX = limit('halfSessionFailures')

/** How the person of a half session can finish the sign-in. Idempotent. */
export const getSecondFactor = ownOperation({
  operationId: 'getSecondFactor',
  summary: 'Tell by which second factors the sign-in can be finished.',
  description: 'For the page that asks for it, after a sign-in that has answered with secondFactor. Costs one read.',
  route: 'GET /second-factor',
  permission: 'second-factor',
  answers: [200],
  success: namedObject('SecondFactorChoice', { methods: secondFactorMethodsSchema }),
  async handle(_call, { database }, { personId }) {
    const factors = await findFactors(database, personId)
    return ok({ methods: methodsOf(factors) } satisfies SecondFactorChoice)
  },
})

/** The calls that finish a sign-in. */
const shared = {
  permission: 'second-factor',
  answers: [200, 401],
  success: meBody,
} as const

/** Finish a sign-in with a code of the authenticator app. */
export const passTotp = ownOperation({
  ...shared,
  operationId: 'passTotp',
  summary: 'Finish the sign-in with a code of the authenticator app.',
  description:
    'Sets the session cookie under a new token and answers as GET /me does. A code counts once. The fifth wrong one ends this sign-in, and wrong ones in a row make the person wait, whatever the address. Costs one small transaction.',
  route: 'POST /second-factor/totp',
  body: codeBody,
  handle(call, context, own) {
    const prove = (): Prove => byTotp(context, call.body.code)
    return passSecondFactor(context, call, own, { operation: 'passTotp', method: 'totp', prove })
  },
})

/** Finish a sign-in with a recovery code, which is used up. */
export const passRecoveryCode = ownOperation({
  ...shared,
  operationId: 'passRecoveryCode',
  summary: 'Finish the sign-in with a recovery code, which is used up.',
  description:
    'For a lost authenticator. Sets the session cookie under a new token and answers as GET /me does. The fifth wrong one ends this sign-in. Costs one small transaction.',
  route: 'POST /second-factor/recovery-code',
  body: codeBody,
  handle(call, context, own) {
    const prove = (): Prove => byRecoveryCode(call.body.code)
    return passSecondFactor(context, call, own, { operation: 'passRecoveryCode', method: 'recovery-code', prove })
  },
})

/** Begin to finish a sign-in with a passkey. */
export const beginPassPasskey = ownOperation({
  operationId: 'beginPassPasskey',
  summary: 'Begin to finish the sign-in with a passkey: tells what the browser is to sign.',
  description: 'For navigator.credentials.get; finishPassPasskey takes its answer. Costs one small write.',
  route: 'POST /second-factor/passkey/begin',
  permission: 'second-factor',
  answers: [200],
  success: requestBody,
  async handle({ headers }, { config, database }, { personId, sessionId }) {
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    await setHalfSessionChallenge(database, sessionId, challenge)
    const passkeys = await listPasskeyRows(database, personId)
    return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
  },
})

/** Finish a sign-in with a passkey. */
export const finishPassPasskey = ownOperation({
  ...shared,
  operationId: 'finishPassPasskey',
  summary: 'Finish the sign-in with what the passkey has signed.',
  description:
    'Takes the challenge of beginPassPasskey, once. Sets the session cookie under a new token and answers as GET /me does. Costs one small transaction.',
  route: 'POST /second-factor/passkey/finish',
  body: proofBody,
  handle(call, context, own) {
    const { response } = call.body
    const party = requireRelyingParty(context.config.http, call.headers)
    return passSecondFactor(context, call, own, {
      operation: 'finishPassPasskey',
      method: 'passkey',
      prove:
        ({ session_id: sessionId, challenge }) =>
        async (tx, personId, now) => {
          await setHalfSessionChallenge(tx, sessionId, null)
          return await byPasskey(response, { challenge, party })(tx, personId, now)
        },
    })
  },
})

interface Passing {
  operation: string
  method: SecondFactorMethod
  /** The proof; it may look at the half session. */
  prove(half: HalfSessionRow): Prove
}

/**
 * Makes a whole session of a half one, under a new token, when the proof holds: answers as GET /me does. Throws the
 * refusal, and ends the half session after too many.
 */
async function passSecondFactor(
  context: Context,
  { headers, caller: { ip } }: OwnCall,
  { personId, sessionId }: OwnSession,
  { operation, method, prove }: Passing,
): Promise<Answer> {
  const { clock, database } = context
  const now = new Date(clock.now())
  const outcome = await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    const half = await lockHalfSession(tx, sessionId)
    if (!person?.active || half === undefined || now >= half.expires_at) throw new ApiError('session_ended')
    const refusal = await prove(half)(tx, personId, now)
    if (refusal !== undefined) {
      const failures = half.failures + 1
      if (failures >= FAILURES_MAX) await deleteHalfSession(tx, sessionId)
      else await setHalfSessionFailures(tx, sessionId, failures)
      return refusal
    }
    await deleteHalfSession(tx, sessionId)
    const begun = await continueSession(tx, personId, {
      method: half.method,
      headers,
      ip,
      now,
      secondFactor: true,
      confirmedAt: now,
      // A link lets its session set a password for as long as a half session lives.
      passwordUntil: half.method === 'link' ? half.expires_at : null,
      goesOn: half,
    })
    await noteSignIn(tx, personId, { headers, ip, now })
    const changes = { secondFactor: method }
    await recordSessionAudit(tx, { personId, sessionId: begun.session.id }, { at: now, operation, changes })
    return begun
  })
  if (outcome instanceof ApiError) throw outcome
  return ok(await toMe(database, outcome.person, outcome.session), signedInHeaders(outcome, headers, context))
}
