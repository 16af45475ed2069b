import { setImmediate as nextTurn } from 'node:timers/promises'

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
