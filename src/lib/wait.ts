import { setTimeout as timeout } from 'node:timers/promises'

/** Waits; rejects with the signal's reason when aborted. A dependency, so that no test sleeps. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Adds up to a fifth, so that calls that failed together are not retried together. It never shortens a wait that a server
 * asked for.
 */
export const addJitter = (ms: number): number => ms * (1 + 0.2 * Math.random())

/** Waits with jitter. */
export const waitJittered: Wait = async (ms, signal) => {
  try {
    await timeout(addJitter(ms), undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
