import Joi from 'joi'
import { recordSessionAudit } from '../../audit/audit.store.js'
import type { AccessConfig } from '../../config/access.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { named, namedObject } from '../../http/named.js'
import { type Answer, ok } from '../../http/operation.js'
import type {
  Confirmation,
  ConfirmationChoice,
  ConfirmationMethod,
  PasskeyRequest,
  SecondFactorChoice,
  SecondFactorMethod,
} from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { newToken } from '../../lib/tokens.js'
import { passwordSchema } from '../people/password-rules.js'
import { findPerson, lockPerson, type PersonWithPassword } from '../people/people.store.js'
import { passwordCaller, signedInHeaders } from '../sessions/device.js'
import { meBody, secondFactorMethodsSchema, toMe } from '../sessions/me.js'
import { type OwnCall, type OwnSession, ownOperation, requirePerson } from '../sessions/own-session.js'
import { continueSession, methodsOf, noteSignIn } from '../sessions/session.js'
import {
  confirmSession,
  deleteHalfSession,
  type HalfSessionRow,
  lockHalfSession,
  setChallenge,
  setHalfSessionChallenge,
  setHalfSessionFailures,
  takeChallenge,
} from '../sessions/sessions.store.js'
import { codeBody, confirmationBody, proofBody, requestBody } from './bodies.js'
import { CHALLENGE_MS, makeRequestOptions } from './passkeys.js'
import { byPasskey, byRecoveryCode, byTotp, countAttempt, type Prove } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'
import { clearFailures, type FactorsRow, findFactors, hasFactor, listPasskeyRows } from './second-factors.store.js'

const FAILURES_MAX = limit('halfSessionFailures')

/** How the person of a half session can finish the sign-in. Idempotent. */
export const getSecondFactor = ownOperation({
  operationId: 'getSecondFactor',
  summary: 'Tell by which second factors the sign-in can be finished.',
  description: 'For the page that asks for it, after a sign-in that has answered with secondFactor. Costs one read.',
  route: 'GET /second-factor',
  permission: 'second-factor',
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
  summary: 'Begin to finish the sign-in with a passkey. The answer is the challenge that the browser signs.',
  description: 'For navigator.credentials.get; finishPassPasskey takes its answer. Costs one small write.',
  route: 'POST /second-factor/passkey/begin',
  permission: 'second-factor',
  success: requestBody,
  handle: (call, context, { personId, sessionId }) =>
    askForPasskey(call, context, personId, (challenge) =>
      setHalfSessionChallenge(context.database, sessionId, challenge),
    ),
})

/** Tells the browser what it is to sign with one of the person's passkeys; `keep` stores the challenge. */
async function askForPasskey(
  { headers }: OwnCall,
  { config, database }: Context,
  personId: string,
  keep: (challenge: string) => Promise<void>,
): Promise<Answer> {
  const party = requireRelyingParty(config.http, headers)
  const challenge = newToken()
  await keep(challenge)
  const passkeys = await listPasskeyRows(database, personId)
  return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
}

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

/** How the person can confirm their session. Idempotent. */
export const getConfirmation = ownOperation({
  operationId: 'getConfirmation',
  summary: 'Tell how you can confirm that the session is yours.',
  description:
    'After a 403 confirmation_needed: one confirmation holds for ten minutes, and so does signing in. `sign-in`: there is no other way than to sign in again. Costs two small reads.',
  route: 'GET /me/confirmation',
  success: namedObject('ConfirmationChoice', {
    methods: Joi.array()
      .items(named('ConfirmationMethod', Joi.string().valid('passkey', 'totp', 'password', 'sign-in')))
      .required(),
  }),
  async handle(_call, { config, database }, { personId }) {
    const person = await requirePerson(database, personId)
    const methods = confirmationMethods(await findFactors(database, personId), person, config.access)
    return ok({ methods } satisfies ConfirmationChoice)
  },
})

/** Confirm the session with the password. */
export const confirmByPassword = ownOperation({
  operationId: 'confirmByPassword',
  summary: 'Confirm the session with your password.',
  description:
    'For a person without a second factor: a person who has one confirms with that. Wrong passwords in a row make the person wait. Costs one password: see signIn.',
  route: 'POST /me/confirmation/password',
  answers: [200, 400, 401, 403],
  body: namedObject('PasswordProof', { password: passwordSchema.required() }),
  success: confirmationBody,
  async handle(call, context, own) {
    const { password } = call.body
    const { personId } = own
    const { clock, config, database, passwords } = context
    const person = await requirePerson(database, personId)
    const methods = confirmationMethods(await findFactors(database, personId), person, config.access)
    if (!methods.includes('password')) throw new ApiError('confirmation_unfit')
    await database.transaction(async (tx) => {
      await lockPerson(tx, personId)
      await countAttempt(tx, personId, 'password', new Date(clock.now()))
    })
    const before = person.password_hash
    if (!(await passwords.matches(password, async () => before, passwordCaller(person.mail, call, context)))) {
      // It has a count of its own: it keeps no one at this address from signing in.
      throw new ApiError('password_wrong')
    }
    return await confirm(context, own, {
      operation: 'confirmByPassword',
      method: 'password',
      async prove(tx) {
        const now = await findPerson(tx, personId)
        // It was changed since it was checked.
        if (now?.password_hash !== before) return new ApiError('password_wrong')
        await clearFailures(tx, personId, 'password')
        return undefined
      },
    })
  },
})

/** Confirm the session with a code of the authenticator app. */
export const confirmByTotp = ownOperation({
  operationId: 'confirmByTotp',
  summary: 'Confirm the session with a code of your authenticator app.',
  description: 'A code counts once; wrong ones in a row make the person wait. Costs one small transaction.',
  route: 'POST /me/confirmation/totp',
  answers: [200, 401],
  body: codeBody,
  success: confirmationBody,
  handle: ({ body: { code } }, context, own) =>
    confirm(context, own, { operation: 'confirmByTotp', method: 'totp', prove: byTotp(context, code) }),
})

/** Begin to confirm the session with a passkey. */
export const beginConfirmByPasskey = ownOperation({
  operationId: 'beginConfirmByPasskey',
  summary: 'Begin to confirm the session with a passkey. The answer is the challenge that the browser signs.',
  description: 'For navigator.credentials.get; finishConfirmByPasskey takes its answer. Costs one small write.',
  route: 'POST /me/confirmation/passkey/begin',
  success: requestBody,
  handle(call, context, { personId, sessionId }) {
    const until = new Date(context.clock.now() + CHALLENGE_MS)
    return askForPasskey(call, context, personId, (challenge) =>
      setChallenge(context.database, sessionId, { challenge, until }),
    )
  },
})

/** Confirm the session with a passkey. */
export const finishConfirmByPasskey = ownOperation({
  operationId: 'finishConfirmByPasskey',
  summary: 'Confirm the session with what a passkey has signed.',
  description: 'Takes the challenge of beginConfirmByPasskey, once. Costs one small transaction.',
  route: 'POST /me/confirmation/passkey/finish',
  answers: [200, 401],
  body: proofBody,
  success: confirmationBody,
  handle({ body: { response }, headers }, context, own) {
    const party = requireRelyingParty(context.config.http, headers)
    return confirm(context, own, {
      operation: 'finishConfirmByPasskey',
      method: 'passkey',
      async prove(tx, personId, now) {
        const challenge = (await takeChallenge(tx, own.sessionId, now)) ?? null
        return await byPasskey(response, { challenge, party })(tx, personId, now)
      },
    })
  },
})

interface Confirming {
  operation: string
  method: Exclude<ConfirmationMethod, 'sign-in'>
  prove: Prove
}

/** Notes that the person of the session has proven who they are, when the proof holds. Throws the refusal. */
async function confirm(
  { clock, database }: Context,
  { personId, sessionId }: OwnSession,
  { operation, method, prove }: Confirming,
): Promise<Answer> {
  const now = new Date(clock.now())
  const refusal = await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (!person?.active) throw new ApiError('session_ended')
    const found = await prove(tx, personId, now)
    if (found !== undefined) return found
    if (!(await confirmSession(tx, sessionId, { at: now, secondFactor: method !== 'password' }))) {
      throw new ApiError('session_ended')
    }
    const changes = { confirmedBy: method }
    await recordSessionAudit(tx, { personId, sessionId }, { at: now, operation, changes })
    return undefined
  })
  if (refusal !== undefined) throw refusal
  return ok({ confirmedAt: now.toISOString() } satisfies Confirmation)
}

/** A password is not enough of a person who has more. */
function confirmationMethods(
  factors: FactorsRow,
  { password_hash: passwordHash }: Pick<PersonWithPassword, 'password_hash'>,
  { passwords }: Pick<AccessConfig, 'passwords'>,
): ConfirmationMethod[] {
  if (hasFactor(factors)) return methodsOf(factors).filter((method) => method !== 'recovery-code')
  return passwords && passwordHash !== null ? ['password'] : ['sign-in']
}
