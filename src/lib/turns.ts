import { setImmediate as nextTurn } from 'node:timers/promises'
import { limit } from './limits.js'

const TURN_MS = limit('turnMs')

/**
 * For a long piece of work in small steps. Call the returned function after each step: once the current turn of the event
 * loop has lasted long enough, it returns a promise to await, so that everything else gets its turn. Work that runs side by
 * side shares one: together the pieces then take no more of a turn than one would.
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

/** A turn of the event loop that takes no longer than this had nothing to do. */
const IDLE_TURN_MS = 0.2
/** A request takes a few turns: reading it, asking for what it needs, writing its response. */
const IDLE_TURNS = 4

/** Waits until the requests that arrived in the meantime are answered, while they keep this thread busy; `maxMs` at most. */
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
