import fc from 'fast-check'
import { afterEach, beforeEach, vi } from 'vitest'
import { guardTransactions } from '../src/database/transaction.js'
import { sharedClocks } from './test-clock.js'

/** Runs before each test file. */
guardTransactions()
waitAsLongAsTests()
// Moves each clock back to its start before the hooks of a file or group, and before each test.
restartClocks()
beforeEach(restartClocks)
afterEach(restartClocks)
// Properties repeat the same values, so that two runs of .ci/run on one tree try the same cases.
if (process.env.FUZZ_SEED) fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED) })

function restartClocks(): void {
  for (const clock of sharedClocks) clock.restart()
}

/** A busy machine must not fail a test: waiting may take longer than vitest's default of one second. */
function waitAsLongAsTests(): void {
  const own = vi as typeof vi & { waitsLong?: true }
  if (own.waitsLong) return
  const { waitFor } = vi
  own.waitsLong = true
  own.waitFor = (callback, options) =>
    waitFor(callback, { timeout: 30_000, ...(typeof options === 'number' ? { timeout: options } : options) })
}
