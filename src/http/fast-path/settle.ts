import type { Ready } from '../../lib/ready.js'

/**
 * Calls back when the work is done, at once when it need not wait: with the error, if there was one. Fastify's
 * hooks take a callback, and a promise in its place would undo the gain of Ready: 5 % of full 50 (lib/ready.ts).
 */
export function settle(work: () => Ready<void>, callback: (error?: Error) => void): void {
  const fail = (error: unknown): void =>
    callback(error instanceof Error ? error : new Error('something that is no Error was thrown', { cause: error }))
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
