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
 * Returns the refusal of an invalid proof, and undefined for a valid one. It does not throw, because the transaction
 * must commit what the attempt used up. The person must be locked.
 */
export type Prove = (tx: Queryable, personId: string, now: Date) => Promise<ApiError | undefined>

/** Proves by a code of the authenticator app. Each step's code works once. Throws too_many_codes. */
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

/** Proves by a recovery code, which is used up. With 79 bits it needs no delay against guessing. */
export const byRecoveryCode =
  (code: string): Prove =>
  async (tx, personId) =>
    (await takeRecoveryCode(tx, personId, hashRecoveryCode(personId, code))) ? undefined : new ApiError('code_wrong')

/** Proves by a passkey's signature of the challenge. */
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

/** Replaces the person's recovery codes and returns the new ones. */
export async function issueRecoveryCodes(tx: Queryable, personId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await replaceRecoveryCodes(
    tx,
    personId,
    codes.map((code) => hashRecoveryCode(personId, code)),
  )
  return codes
}

/** Removes the spaces, hyphens and capitals that people type. */
export const plainCode = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '')

const hashRecoveryCode = (personId: string, code: string): string => hashToken(`${personId} ${plainCode(code)}`)

const FAILURES_MAX = limit('factorFailures')
const BACK_OFF = doubling(30_000, limit('factorWaitMs'))
const FORGOTTEN_MS = 86_400_000

// Counted per person across all nodes, so that many addresses do not help in guessing.

/**
 * Counts an attempt as failed before it is checked, so that simultaneous attempts do not get around the limit; a
 * valid one clears the count. Throws too_many_codes while the person must wait. The person must be locked.
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

/** A negative age, after the clock was set back, counts as forgotten. */
function isForgotten({ last_at: at }: FailuresRow, now: Date): boolean {
  const age = now.getTime() - at.getTime()
  return age < 0 || age >= FORGOTTEN_MS
}
