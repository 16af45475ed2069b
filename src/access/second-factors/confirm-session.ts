import Joi from 'joi'
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
} from '../../interface/generated/types.js'
import { newToken } from '../../lib/tokens.js'
import { recordSessionAudit } from '../audit.store.js'
import { passwordSchema } from '../people/password-rules.js'
import { findPerson, lockPerson, type PersonWithPassword } from '../people/people.store.js'
import { passwordCaller } from '../sessions/device.js'
import { type OwnSession, ownOperation } from '../sessions/own-session.js'
import { confirmSession, setChallenge, takeChallenge } from '../sessions/sessions.store.js'
import { codeBody, confirmationBody, proofBody, requestBody } from './bodies.js'
import { countAttempt } from './failures.js'
import { CHALLENGE_MS, makeRequestOptions } from './passkeys.js'
import { listPasskeyRows } from './passkeys.store.js'
import { byPasskey, byTotp, type Prove } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'
import { clearFailures, type FactorsRow, findFactors, hasFactor } from './second-factors.store.js'

/** How the person can confirm their session. Idempotent. */
export const getConfirmation = ownOperation({
  operationId: 'getConfirmation',
  summary: 'Tell how you can confirm that the session is yours.',
  description:
    'After a 403 confirmation_needed: one confirmation holds for ten minutes, and so does signing in. `sign-in`: there is no other way than to sign in again. Costs two small reads.',
  route: 'GET /me/confirmation',
  answers: [200],
  success: namedObject('ConfirmationChoice', {
    methods: Joi.array()
      .items(named('ConfirmationMethod', Joi.string().valid('passkey', 'totp', 'password', 'sign-in')))
      .required(),
  }),
  async handle(_call, { config, database }, { personId }) {
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('session_ended')
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
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('session_ended')
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
  summary: 'Begin to confirm the session with a passkey: tells what the browser is to sign.',
  description: 'For navigator.credentials.get; finishConfirmByPasskey takes its answer. Costs one small write.',
  route: 'POST /me/confirmation/passkey/begin',
  answers: [200],
  success: requestBody,
  async handle({ headers }, { clock, config, database }, { personId, sessionId }) {
    const party = requireRelyingParty(config.http, headers)
    const challenge = newToken()
    await setChallenge(database, sessionId, { challenge, until: new Date(clock.now() + CHALLENGE_MS) })
    const passkeys = await listPasskeyRows(database, personId)
    return ok({ options: await makeRequestOptions(party, challenge, passkeys) } satisfies PasskeyRequest)
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
  if (hasFactor(factors)) {
    return [...(factors.passkeys > 0 ? (['passkey'] as const) : []), ...(factors.totp ? (['totp'] as const) : [])]
  }
  return passwords && passwordHash !== null ? ['password'] : ['sign-in']
}
