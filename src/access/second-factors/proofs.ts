import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { PasskeyAssertion } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newRecoveryCode } from '../../lib/tokens.js'
import { findTotpStep } from '../../lib/totp.js'
import { doubling } from '../../work/backoff.js'
import { findAsserted, takeAssertion } from './passkeys.js'
import type { RelyingParty } from './relying-party.js'
import {
  clearFailures,
  type FailureKind,
  type FailuresRow,
  findFailures,
  findTotp,
  replaceRecoveryCodes,
  setFailures,
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

const FAILURES_MAX = limit('factorFailures')
const BACK_OFF = doubling(30_000, limit('factorWaitMs'))
const FORGOTTEN_MS = 86_400_000

// Counted for each person, on all nodes: who has many addresses guesses no faster.

/**
 * Counts an attempt as failed before it is judged, so that many at once are no way around it. Throws too_many_codes
 * while the person waits. The person is locked; a right one clears it.
 */
export async function countAttempt(tx: Queryable, personId: string, kind: FailureKind, now: Date): Promise<void> {
  const failures = await findFailures(tx, personId, kind)
  const waitMs = failures === undefined ? 0 : waitOf(failures, now)
  if (waitMs > 0) throw new ApiError('too_many_codes', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  const count = failures === undefined || isForgotten(failures, now) ? 0 : failures.count
  await setFailures(tx, personId, { kind, count: count + 1, at: now })
}

function waitOf(failures: FailuresRow, now: Date): number {
  const { count, last_at: at } = failures
  if (count < FAILURES_MAX || isForgotten(failures, now)) return 0
  return at.getTime() + BACK_OFF.after(count - FAILURES_MAX) - now.getTime()
}

/** Also when the clock was put back. */
function isForgotten({ last_at: at }: FailuresRow, now: Date): boolean {
  const age = now.getTime() - at.getTime()
  return age < 0 || age >= FORGOTTEN_MS
}
