import type { Ready } from '../../lib/ready.js'

/**
 * Calls back when the work is done, at once if it need not wait, with its error if there was one. Fastify's hooks take a
 * callback; a promise would cancel the gain of Ready: 5 % of full 50 (lib/ready.ts).
 */
export function settle(work: () => Ready<void>, callback: (error?: Error) => void): void {
  const fail = (error: unknown): void =>
    callback(error instanceof Error ? error : new Error('a value that is not an Error was thrown', { cause: error }))
  let done: Ready<void>
  try {
    done = work()
  } catch (error) {
    fail(error)
    return
  }
  if (done instanceof Promise) done.then(() => callback(), fail)
  else callback()
}
