import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { PasskeyAssertion } from '../../interface/generated/types.js'
import { hashToken, newRecoveryCode } from '../../lib/tokens.js'
import { findTotpStep } from '../../lib/totp.js'
import { countAttempt } from './failures.js'
import { findAsserted, takeAssertion } from './passkeys.js'
import type { RelyingParty } from './relying-party.js'
import {
  clearFailures,
  findTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeTotpStep,
  totpSecretContext,
} from './second-factors.store.js'

const RECOVERY_CODES = 10

/**
 * Gives the refusal of a proof that does not hold, and nothing for one that does. It is given, not thrown, because
 * the transaction has to keep what the attempt has used up. The person is locked.
 */
export type Prove = (tx: Queryable, personId: string, now: Date) => Promise<ApiError | undefined>

/** A code of the authenticator app. A step's code counts once; too_many_codes is thrown. */
export const byTotp =
  ({ sealer }: Pick<Context, 'sealer'>, code: string): Prove =>
  async (tx, personId, now) => {
    await countAttempt(tx, personId, 'totp', now)
    const row = await findTotp(tx, personId)
    if (row === undefined || row.confirmed_at === null) return new ApiError('code_wrong')
    const secret = sealer.open(row.secret_sealed, totpSecretContext(personId))
    const step = findTotpStep(secret, plainCode(code), now.getTime())
    if (step === undefined || !(await takeTotpStep(tx, personId, step))) return new ApiError('code_wrong')
    await clearFailures(tx, personId, 'totp')
    return undefined
  }

/** A recovery code, which is used up. It has 79 bits, so that no wait is needed against guessing. */
export const byRecoveryCode =
  (code: string): Prove =>
  async (tx, personId) =>
    (await takeRecoveryCode(tx, personId, hashRecoveryCode(personId, code))) ? undefined : new ApiError('code_wrong')

/** A signature of the challenge by a passkey of the person. */
export const byPasskey =
  (response: PasskeyAssertion, { challenge, party }: { challenge: string | null; party: RelyingParty }): Prove =>
  async (tx, personId, at) => {
    const passkey = await findAsserted(tx, response, personId)
    const isProven =
      passkey !== undefined &&
      challenge !== null &&
      (await takeAssertion(tx, passkey, response, { challenge, party, at }))
    return isProven ? undefined : new ApiError('passkey_refused')
  }

/** Gives the person new recovery codes in place of the earlier ones. */
export async function issueRecoveryCodes(tx: Queryable, personId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await replaceRecoveryCodes(
    tx,
    personId,
    codes.map((code) => hashRecoveryCode(personId, code)),
  )
  return codes
}

/** Codes are typed with spaces, hyphens and capitals. */
export const plainCode = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '')

const hashRecoveryCode = (personId: string, code: string): string => hashToken(`${personId} ${plainCode(code)}`)
