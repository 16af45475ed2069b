import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { limit } from '../../lib/limits.js'
import { doubling } from '../../work/backoff.js'
import { type FailureKind, type FailuresRow, findFailures, setFailures } from './second-factors.store.js'

const FAILURES_MAX = limit('factorFailures')
const BACK_OFF = doubling(30_000, limit('factorWaitMs'))
const FORGOTTEN_MS = 86_400_000

// Counted for each person, on all nodes: who has many addresses guesses no faster.

/**
 * Counts an attempt as failed before it is judged, so that many at once are no way around it. Throws too_many_codes while the
 * person waits. The person is locked; a right one clears it.
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
