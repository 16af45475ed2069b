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

export const getSecondFactor = ownOperation({
  operationId: 'getSecondFactor',
  summary: 'List the second factors that can finish the sign-in.',
  description:
    'For the page that asks for the second factor, after a sign-in was answered with secondFactor. Idempotent. Costs one read.',
  route: 'GET /second-factor',
  permission: 'second-factor',
  success: namedObject('SecondFactorChoice', { methods: secondFactorMethodsSchema }),
  async handle(_call, { database }, { personId }) {
    const factors = await findFactors(database, personId)
    return ok({ methods: methodsOf(factors) } satisfies SecondFactorChoice)
  },
})

const shared = {
  permission: 'second-factor',
  answers: [200, 401],
  success: meBody,
} as const

export const passTotp = ownOperation({
  ...shared,
  operationId: 'passTotp',
  summary: 'Finish the sign-in with a code of the authenticator app.',
  description:
    'Sets the session cookie with a new token and answers as GET /me does. A code works once. The fifth wrong code ends this sign-in, and consecutive wrong codes make the person wait, from any address. Costs one small transaction.',
  route: 'POST /second-factor/totp',
  body: codeBody,
  handle(call, context, own) {
    const prove = (): Prove => byTotp(context, call.body.code)
    return passSecondFactor(context, call, own, { operation: 'passTotp', method: 'totp', prove })
  },
})

export const passRecoveryCode = ownOperation({
  ...shared,
  operationId: 'passRecoveryCode',
  summary: 'Finish the sign-in with a recovery code, which then no longer works.',
  description:
    'For a lost authenticator. Sets the session cookie with a new token and answers as GET /me does. The fifth wrong code ends this sign-in. Costs one small transaction.',
  route: 'POST /second-factor/recovery-code',
  body: codeBody,
  handle(call, context, own) {
    const prove = (): Prove => byRecoveryCode(call.body.code)
    return passSecondFactor(context, call, own, { operation: 'passRecoveryCode', method: 'recovery-code', prove })
  },
})

export const beginPassPasskey = ownOperation({
  operationId: 'beginPassPasskey',
  summary: 'Begin to finish the sign-in with a passkey. The response has the challenge for the browser to sign.',
  description: 'For navigator.credentials.get; send its result to finishPassPasskey. Costs one small write.',
  route: 'POST /second-factor/passkey/begin',
  permission: 'second-factor',
  success: requestBody,
  handle: (call, context, { personId, sessionId }) =>
    askForPasskey(call, context, personId, (challenge) =>
      setHalfSessionChallenge(context.database, sessionId, challenge),
    ),
})

/** Answers with a challenge for one of the person's passkeys; `keep` stores the challenge. */
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

export const finishPassPasskey = ownOperation({
  ...shared,
  operationId: 'finishPassPasskey',
  summary: 'Finish the sign-in with the signature of a passkey.',
  description:
    'Uses up the challenge of beginPassPasskey. Sets the session cookie with a new token and answers as GET /me does. Costs one small transaction.',
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
  /** Makes the proof, which may depend on the half session. */
  prove(half: HalfSessionRow): Prove
}

/**
 * Turns a half session into a whole one with a new token if the proof is valid, and answers as GET /me does.
 * Otherwise throws the refusal; too many end the half session.
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
      // A session that began with a link may set a password until the half session would have expired.
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

export const getConfirmation = ownOperation({
  operationId: 'getConfirmation',
  summary: 'List the ways to confirm that the session is yours.',
  description:
    'For a call that was answered with 403 confirmation_needed. A confirmation is valid for ten minutes, and so is a sign-in. `sign-in` means that you can only sign in again. Idempotent. Costs two small reads.',
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

export const confirmByPassword = ownOperation({
  operationId: 'confirmByPassword',
  summary: 'Confirm the session with your password.',
  description:
    'Only for people without a second factor; the others confirm with that. Consecutive wrong passwords make the person wait. Costs one password computation: see signIn.',
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
      // Counted separately from sign-ins, so it does not keep others at this address from signing in.
      throw new ApiError('password_wrong')
    }
    return await confirm(context, own, {
      operation: 'confirmByPassword',
      method: 'password',
      async prove(tx) {
        const now = await findPerson(tx, personId)
        // The password has changed since it was checked.
        if (now?.password_hash !== before) return new ApiError('password_wrong')
        await clearFailures(tx, personId, 'password')
        return undefined
      },
    })
  },
})

export const confirmByTotp = ownOperation({
  operationId: 'confirmByTotp',
  summary: 'Confirm the session with a code of your authenticator app.',
  description: 'A code works once. Consecutive wrong codes make the person wait. Costs one small transaction.',
  route: 'POST /me/confirmation/totp',
  answers: [200, 401],
  body: codeBody,
  success: confirmationBody,
  handle: ({ body: { code } }, context, own) =>
    confirm(context, own, { operation: 'confirmByTotp', method: 'totp', prove: byTotp(context, code) }),
})

export const beginConfirmByPasskey = ownOperation({
  operationId: 'beginConfirmByPasskey',
  summary: 'Begin to confirm the session with a passkey. The response has the challenge for the browser to sign.',
  description: 'For navigator.credentials.get; send its result to finishConfirmByPasskey. Costs one small write.',
  route: 'POST /me/confirmation/passkey/begin',
  success: requestBody,
  handle(call, context, { personId, sessionId }) {
    const until = new Date(context.clock.now() + CHALLENGE_MS)
    return askForPasskey(call, context, personId, (challenge) =>
      setChallenge(context.database, sessionId, { challenge, until }),
    )
  },
})

export const finishConfirmByPasskey = ownOperation({
  operationId: 'finishConfirmByPasskey',
  summary: 'Confirm the session with the signature of a passkey.',
  description: 'Uses up the challenge of beginConfirmByPasskey. Costs one small transaction.',
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

/** Records that the session's person has proven who they are, if the proof is valid. Otherwise throws the refusal. */
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

/** Returns the ways to confirm a session. A password is not enough for a person with a second factor. */
function confirmationMethods(
  factors: FactorsRow,
  { password_hash: passwordHash }: Pick<PersonWithPassword, 'password_hash'>,
  { passwords }: Pick<AccessConfig, 'passwords'>,
): ConfirmationMethod[] {
  if (hasFactor(factors)) return methodsOf(factors).filter((method) => method !== 'recovery-code')
  return passwords && passwordHash !== null ? ['password'] : ['sign-in']
}
