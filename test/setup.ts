import { vi } from 'vitest'
import { guardTransactions } from '../src/database/transaction.js'

/** Runs before each test file. */
guardTransactions()
waitAsLongAsTests()

/** A busy machine is no failure: a thing that is waited for has more than the second that vitest gives it. */
function waitAsLongAsTests(): void {
  const own = vi as typeof vi & { waitsLong?: true }
  if (own.waitsLong) return
  const { waitFor } = vi
  own.waitsLong = true
  own.waitFor = (callback, options) =>
    waitFor(callback, { timeout: 30_000, ...(typeof options === 'number' ? { timeout: options } : options) })
}
