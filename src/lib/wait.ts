import { setTimeout as timeout } from 'node:timers/promises'

/** Waits; rejects with the signal's reason when aborted. A dependency, so that no test sleeps. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/** Waits from half to one and a half times `ms`, so that calls that failed together are not retried together. */
export const waitJittered: Wait = async (ms, signal) => {
  try {
    await timeout(ms * (0.5 + Math.random()), undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/**
 * Up to a fifth more: what is put off together does not come back together. Never less, for a wait that another has
 * told.
 */
export const addJitter = (ms: number): number => ms * (1 + 0.2 * Math.random())
