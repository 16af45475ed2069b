import { setTimeout as timeout } from 'node:timers/promises'

/** Waits; rejects with the signal's reason if aborted. A dependency, so that no test sleeps. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Adds up to a fifth, so that calls that failed together are not retried together. It never shortens a wait that a server
 * asked for.
 */
export const addJitter = (ms: number): number => ms * (1 + 0.2 * Math.random())

/** Calls `action` after this time; the returned function cancels it. A dependency, so that no test sleeps. */
export type StartTimer = (action: () => void, ms: number) => () => void

export const startTimer: StartTimer = (action, ms) => {
  const timer = setTimeout(action, ms)
  return () => clearTimeout(timer)
}

/** Waits with jitter. */
export const waitJittered: Wait = async (ms, signal) => {
  try {
    await timeout(addJitter(ms), undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
