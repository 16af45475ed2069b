import { setImmediate as nextTurn } from 'node:timers/promises'
import { limit } from './limits.js'

const TURN_MS = limit('turnMs')

/**
 * For a long piece of work in small steps. Call what it returns after each step: when the turn of the event loop has been
 * taken long enough it gives a promise to await, in which everything else has its turn.
 */
export function createTurns(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < TURN_MS) return undefined
    return nextTurn().then(() => {
      startedAt = performance.now()
    })
  }
}
