import { setImmediate as nextTurn } from 'node:timers/promises'
import { limit } from './limits.js'

const TURN_MS = limit('turnMs')

/**
 * For a long piece of work in small steps. Call what it returns after each step: when the turn of the event loop has been
 * taken long enough it gives a promise to await, in which everything else has its turn. Pieces of work that run side by
 * side share one: together they take no more of a turn than one of them would, however many there are.
 */
export function createTurns(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  let next: Promise<void> | undefined
  return () => {
    if (performance.now() - startedAt < TURN_MS) return undefined
    next ??= nextTurn().then(() => {
      next = undefined
      startedAt = performance.now()
    })
    return next
  }
}

/** A turn of the event loop that takes no longer had nothing to do. */
const IDLE_TURN_MS = 0.2
/** A request takes some turns: it is read, what it needs is asked for, its answer is written. */
const IDLE_TURNS = 4

/** Waits until the requests that came meanwhile are answered, as long as they keep this thread busy; `maxMs` at most. */
export async function letOthersWork(maxMs: number): Promise<void> {
  const startedAt = performance.now()
  for (let idleTurns = 0, turnedAt = startedAt; idleTurns < IDLE_TURNS; ) {
    await nextTurn()
    const now = performance.now()
    if (now - startedAt > maxMs) return
    idleTurns = now - turnedAt < IDLE_TURN_MS ? idleTurns + 1 : 0
    turnedAt = now
  }
}
