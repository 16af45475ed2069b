/** The client's only source of time and randomness, so that tests can control both. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number
  /** From 0 up to but not including 1. */
  random(): number
  /** Rejects with the signal's reason when aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
}

export const systemRuntime: Runtime = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(signal!.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      if (signal?.aborted) onAbort()
      else signal?.addEventListener('abort', onAbort, { once: true })
    }),
}

/** Returns a new key for each call. */
export const newIdempotencyKey = (): string => crypto.randomUUID()
