import Joi from 'joi'
import { recordAccountAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { ok } from '../../http/operation.js'
import type {
  AddedPasskey,
  AddedTotp,
  OwnSecondFactors,
  Passkey,
  PasskeyCreation,
  RecoveryCodes,
  TotpSetup,
} from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { newToken } from '../../lib/tokens.js'
import { findTotpStep, newTotpSecret, totpUri } from '../../lib/totp.js'
import { notifyPerson, type PersonNotice } from '../../news/notify-person.js'
import { lockPerson } from '../people/people.store.js'
import { type OwnCall, type OwnSession, ownOperation, requirePerson } from '../sessions/own-session.js'
import { renewSession } from '../sessions/session.js'
import { deleteSessions, findSessionById, setChallenge, takeChallenge } from '../sessions/sessions.store.js'
import { forgetSecondFactor } from '../tokens/personal-tokens.store.js'
import { codeBody, creationBody, newPasskeyBody, recoveryCodesSchema } from './bodies.js'
import { CHALLENGE_MS, makeCreationOptions, readAttestation } from './passkeys.js'
import { issueRecoveryCodes, plainCode } from './proofs.js'
import { requireRelyingParty } from './relying-party.js'
import {
  beginTotp,
  clearFailures,
  confirmTotp,
  deletePasskey,
  deleteTotp,
  findFactors,
  findTotp,
  hasFactor,
  insertPasskey,
  listPasskeyRows,
  type PasskeyRow,
  replaceRecoveryCodes,
  takeTotpStep,
  totpSecretContext,
} from './second-factors.store.js'

const passkeyBody = namedObject('Passkey', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
  lastUsedAt: Joi.string().isoDate().description('Absent if the passkey was never used.'),
})

const toPasskeyBody = (row: PasskeyRow): Passkey => ({
  id: row.passkey_id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
})

const ownSecondFactorsBody = namedObject('OwnSecondFactors', {
  passkeys: Joi.array().items(passkeyBody).required(),
  totp: Joi.object({ createdAt: Joi.string().isoDate().required() })
    .allow(null)
    .required()
    .description('Null if there is no authenticator app.'),
  recoveryCodesLeft: Joi.number().integer().required(),
})

async function readOwnSecondFactors(database: Queryable, personId: string): Promise<OwnSecondFactors> {
  const passkeys = await listPasskeyRows(database, personId)
  const { confirmed_at: confirmedAt } = (await findTotp(database, personId)) ?? { confirmed_at: null }
  const { recovery_codes: recoveryCodesLeft } = await findFactors(database, personId)
  return {
    passkeys: passkeys.map(toPasskeyBody),
    totp: confirmedAt === null ? null : { createdAt: confirmedAt.toISOString() },
    recoveryCodesLeft,
  }
}

export const getOwnSecondFactors = ownOperation({
  operationId: 'getOwnSecondFactors',
  summary: 'List your own second factors: passkeys, an authenticator app, recovery codes.',
  description: 'Contains no secrets. Idempotent. Costs three small reads.',
  route: 'GET /me/second-factors',
  success: ownSecondFactorsBody,
  handle: async (_call, { database }, { personId }) => ok(await readOwnSecondFactors(database, personId)),
})

export const replaceOwnRecoveryCodes = ownOperation({
  operationId: 'replaceOwnRecoveryCodes',
  summary: 'Make ten new recovery codes, which replace the earlier ones.',
  description: 'Only this response contains them. Not idempotent. Costs one small transaction.',
  route: 'POST /me/second-factors/recovery-codes',
  needsConfirmation: true,
  answers: [200, 404],
  success: namedObject('RecoveryCodes', { recoveryCodes: recoveryCodesSchema.required() }),
  async handle({ principal }, { clock, database }, { personId }) {
    const recoveryCodes = await database.transaction(async (tx) => {
      await lockPerson(tx, personId)
      if (!hasFactor(await findFactors(tx, personId))) throw new ApiError('second_factor_not_found')
      const at = new Date(clock.now())
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'replaceOwnRecoveryCodes' })
      return await issueRecoveryCodes(tx, personId)
    })
    return ok({ recoveryCodes } satisfies RecoveryCodes)
  },
})

export const beginOwnTotp = ownOperation({
  operationId: 'beginOwnTotp',
  summary: 'Begin to add an authenticator app. The response has its secret; finishOwnTotp activates it.',
  description:
    'Show `uri` as a QR code. Replaces an unfinished earlier attempt. Not idempotent. Costs one small transaction.',
  route: 'POST /me/second-factors/totp/begin',
  needsConfirmation: true,
  answers: [200, 409],
  success: namedObject('TotpSetup', {
    secret: Joi.string().required().description('Base32. Only this response contains it.'),
    uri: Joi.string().required().description('An otpauth:// URI for a QR code.'),
  }),
  async handle({ principal }, { clock, database, sealer }, { personId }) {
    const secret = newTotpSecret()
    const at = new Date(clock.now())
    const secretSealed = sealer.seal(secret, totpSecretContext(personId))
    const person = await database.transaction(async (tx) => {
      const locked = await lockPerson(tx, personId)
      if (locked === undefined) throw new ApiError('session_ended')
      if (!(await beginTotp(tx, { personId, secretSealed, at }))) {
        throw new ApiError('already_exists', { message: 'You already have an authenticator app: remove it first.' })
      }
      await recordAccountAudit(tx, principal.actor, personId, { at, operation: 'beginOwnTotp' })
      return locked
    })
    return ok({ secret, uri: totpUri(secret, { issuer: 'Greenroom', label: person.mail }) } satisfies TotpSetup)
  },
})

export const finishOwnTotp = ownOperation({
  operationId: 'finishOwnTotp',
  summary: 'Finish adding an authenticator app, with a code that it shows.',
  description:
    'Your first factor comes with ten recovery codes. Your other sessions end; this one continues with a new token in a new cookie. Costs one small transaction.',
  route: 'POST /me/second-factors/totp/finish',
  needsConfirmation: true,
  answers: [200, 401, 404],
  body: codeBody,
  success: namedObject('AddedTotp', { recoveryCodes: recoveryCodesSchema }),
  async handle({ body: { code }, ...call }, context, own) {
    const { recoveryCodes, headers } = await changeFactors(context, call, own, {
      operation: 'finishOwnTotp',
      notice: 'factor-added',
      async change(tx, now) {
        const { personId } = own
        const row = await findTotp(tx, personId)
        if (row === undefined || row.confirmed_at !== null) throw new ApiError('totp_not_found')
        const secret = context.sealer.open(row.secret_sealed, totpSecretContext(personId))
        const step = findTotpStep(secret, plainCode(code), now.getTime())
        // Not counted as a failure: the person has seen the secret, so there is nothing to guess.
        if (step === undefined) throw new ApiError('code_wrong')
        await takeTotpStep(tx, personId, step)
        await confirmTotp(tx, personId, now)
        await clearFailures(tx, personId, 'totp')
        return { result: undefined, changes: { added: 'totp' } }
      },
    })
    return ok({ ...(recoveryCodes && { recoveryCodes }) } satisfies AddedTotp, headers)
  },
})

export const removeOwnTotp = ownOperation({
  operationId: 'removeOwnTotp',
  summary: 'Remove your authenticator app.',
  description:
    'Your other sessions end; this one continues with a new token in a new cookie. Removing the last factor also removes the recovery codes. Costs one small transaction.',
  route: 'DELETE /me/second-factors/totp',
  needsConfirmation: true,
  answers: [200, 404],
  success: ownSecondFactorsBody,
  async handle(call, context, own) {
    const { headers } = await changeFactors(context, call, own, {
      operation: 'removeOwnTotp',
      notice: 'factor-removed',
      async change(tx) {
        if (!(await deleteTotp(tx, own.personId))) throw new ApiError('totp_not_found')
        return { result: undefined, changes: { removed: 'totp' } }
      },
    })
    return ok(await readOwnSecondFactors(context.database, own.personId), headers)
  },
})

const PASSKEYS_MAX = limit('passkeysPerPerson')

export const beginOwnPasskey = ownOperation({
  operationId: 'beginOwnPasskey',
  summary: 'Begin to add a passkey. The response has the options for the browser.',
  description: 'For navigator.credentials.create; send its result to finishOwnPasskey. Costs one small write.',
  route: 'POST /me/second-factors/passkeys/begin',
  needsConfirmation: true,
  answers: [200, 409],
  success: creationBody,
  async handle({ headers }, { clock, config, database }, { personId, sessionId }) {
    const party = requireRelyingParty(config.http, headers)
    const person = await requirePerson(database, personId)
    const passkeys = await listPasskeyRows(database, personId)
    if (passkeys.length >= PASSKEYS_MAX) throw new ApiError('passkeys_full')
    const challenge = newToken()
    await setChallenge(database, sessionId, { challenge, until: new Date(clock.now() + CHALLENGE_MS) })
    return ok({ options: await makeCreationOptions(party, challenge, person, passkeys) } satisfies PasskeyCreation)
  },
})

export const finishOwnPasskey = ownOperation({
  operationId: 'finishOwnPasskey',
  summary: 'Finish adding a passkey that the browser has created.',
  description:
    'Uses up the challenge of beginOwnPasskey. Your first factor comes with ten recovery codes. Your other sessions end; this one continues with a new token in a new cookie. Costs one small transaction.',
  route: 'POST /me/second-factors/passkeys/finish',
  needsConfirmation: true,
  answers: [200, 401, 409],
  body: newPasskeyBody,
  success: namedObject('AddedPasskey', {
    passkey: passkeyBody.required(),
    recoveryCodes: recoveryCodesSchema,
  }),
  async handle(call, context, own) {
    const { name, response } = call.body
    const { personId, sessionId } = own
    const { clock, config, database } = context
    const party = requireRelyingParty(config.http, call.headers)
    const challenge = await database.transaction((tx) => takeChallenge(tx, sessionId, new Date(clock.now())))
    if (challenge === undefined) throw new ApiError('passkey_refused')
    const credential = await readAttestation(response, { challenge, party })
    const { result, recoveryCodes, headers } = await changeFactors(context, call, own, {
      operation: 'finishOwnPasskey',
      notice: 'factor-added',
      async change(tx, now) {
        if ((await listPasskeyRows(tx, personId)).length >= PASSKEYS_MAX) throw new ApiError('passkeys_full')
        const row = { ...credential, passkey_id: newId('pk'), person_id: personId, name, created_at: now }
        const passkey = await insertPasskey(tx, row)
        if (passkey === undefined) {
          throw new ApiError('already_exists', { message: 'This passkey has already been added: use another device.' })
        }
        return { result: passkey, changes: { added: 'passkey', passkeyId: passkey.passkey_id } }
      },
    })
    const passkey = toPasskeyBody(result)
    return ok({ passkey, ...(recoveryCodes && { recoveryCodes }) } satisfies AddedPasskey, headers)
  },
})

export const removeOwnPasskey = ownOperation({
  operationId: 'removeOwnPasskey',
  summary: 'Remove one of your passkeys.',
  description:
    'Your other sessions end; this one continues with a new token in a new cookie. Removing the last factor also removes the recovery codes. Costs one small transaction.',
  route: 'DELETE /me/second-factors/passkeys/{passkeyId}',
  needsConfirmation: true,
  answers: [200, 404],
  success: ownSecondFactorsBody,
  async handle(call, context, own) {
    const { passkeyId } = call.params
    const { headers } = await changeFactors(context, call, own, {
      operation: 'removeOwnPasskey',
      notice: 'factor-removed',
      async change(tx) {
        const name = await deletePasskey(tx, own.personId, passkeyId)
        if (name === undefined) throw new ApiError('passkey_not_found')
        return { result: name, changes: { removed: 'passkey', passkeyId } }
      },
    })
    return ok(await readOwnSecondFactors(context.database, own.personId), headers)
  },
})

interface Changing<T> {
  operation: string
  notice: PersonNotice
  /** Makes the change and returns the changes for the audit entry. */
  change(tx: Queryable, now: Date): Promise<{ result: T; changes: Record<string, unknown> }>
}

interface Changed<T> {
  result: T
  /** The recovery codes that come with the first factor. */
  recoveryCodes: string[] | undefined
  /** Sets the cookie with the session's new token. */
  headers: Record<string, string>
}

/**
 * Adds or removes a factor of the caller. Ends their other sessions and continues this one with a new token. The
 * first factor comes with recovery codes; removing the last one deletes them.
 */
async function changeFactors<T>(
  { clock, database }: Context,
  { principal, headers, caller }: OwnCall,
  { personId, sessionId }: OwnSession,
  { operation, notice, change }: Changing<T>,
): Promise<Changed<T>> {
  const now = new Date(clock.now())
  return await database.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    const session = await findSessionById(tx, sessionId)
    if (!person?.active || session === undefined) throw new ApiError('session_ended')
    const before = hasFactor(await findFactors(tx, personId))
    const { result, changes } = await change(tx, now)
    const after = hasFactor(await findFactors(tx, personId))
    const recoveryCodes = after && !before ? await issueRecoveryCodes(tx, personId) : undefined
    if (!after) {
      await replaceRecoveryCodes(tx, personId, [])
      await forgetSecondFactor(tx, personId)
    }
    await recordAccountAudit(tx, principal.actor, personId, { at: now, operation, changes })
    await notifyPerson(tx, { kind: notice, personId, at: now, caller, headers })
    await deleteSessions(tx, personId)
    // Adding a first factor also proves it; without any factor left, none counts as passed.
    const secondFactor = after && (!before || session.second_factor)
    const begun = await renewSession(tx, personId, session, { headers, ip: caller.ip, now, secondFactor })
    return { result, recoveryCodes, headers: begun.headers }
  })
}
