import fc from 'fast-check'
import { afterEach, beforeEach, vi } from 'vitest'
import { guardTransactions } from '../src/database/transaction.js'
import { sharedClocks } from './test-clock.js'

/** Runs before each test file. */
guardTransactions()
waitAsLongAsTests()
// Before hooks of a file or group, as before tests, each clock is back at its start.
restartClocks()
beforeEach(restartClocks)
afterEach(restartClocks)
// Properties are tried with the same values again: of one tree, two runs of .ci/run ask the same.
if (process.env.FUZZ_SEED) fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED) })

function restartClocks(): void {
  for (const clock of sharedClocks) clock.restart()
}

/** A busy machine is no failure: a thing that is waited for has more than the second that vitest gives it. */
function waitAsLongAsTests(): void {
  const own = vi as typeof vi & { waitsLong?: true }
  if (own.waitsLong) return
  const { waitFor } = vi
  own.waitsLong = true
  own.waitFor = (callback, options) =>
    waitFor(callback, { timeout: 30_000, ...(typeof options === 'number' ? { timeout: options } : options) })
}
