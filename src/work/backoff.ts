import { type Wait, waitJittered } from '../lib/wait.js'

/** The delays between attempts, without jitter. */
export interface BackOff<WaitMs extends number | undefined = number> {
  readonly waitsMs: readonly number[]
  /** Returns the delay after this many failures, in milliseconds; undefined if there is no further attempt. */
  after(failures: number): WaitMs
}

/** The last delay repeats forever. */
export const repeatLast = (...waitsMs: readonly number[]): BackOff => ({
  waitsMs,
  after: (failures) => waitsMs[Math.min(failures, waitsMs.length - 1)]!,
})

/** Makes no further attempt after the last delay. */
export const giveUpAfter = (...waitsMs: readonly number[]): BackOff<number | undefined> => ({
  waitsMs,
  after: (failures) => waitsMs[failures],
})

/** Doubles each delay, up to `maxMs`, which repeats. */
export function doubling(firstMs: number, maxMs: number): BackOff {
  const waitsMs = [firstMs]
  while (waitsMs.at(-1)! < maxMs) waitsMs.push(Math.min(2 * waitsMs.at(-1)!, maxMs))
  return repeatLast(...waitsMs)
}

export interface Retrying {
  backOff: BackOff<number | undefined>
  /** Returns whether a later attempt may succeed. */
  mayPass(error: unknown): boolean
  wait?: Wait
  /** Ends a wait early; the attempt after it is still made. */
  signal?: AbortSignal
}

/** Repeats `work` within this process. Throws the last error. */
export async function retry<T>(
  work: () => Promise<T>,
  { backOff, mayPass, wait = waitJittered, signal }: Retrying,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    const waitMs = backOff.after(failures)
    try {
      return await work()
    } catch (error) {
      if (waitMs === undefined || !mayPass(error)) throw error
    }
    await wait(waitMs, signal).catch(() => {})
  }
}
