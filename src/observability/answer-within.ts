import { setTimeout as timeout } from 'node:timers/promises'
import { DatabaseUnavailableError } from '../database/database.js'

/** Rejects when the signal is aborted. A dependency, so that no test waits. */
export type AbortableWait = (ms: number, signal: AbortSignal) => Promise<unknown>

export const waitUntilAborted: AbortableWait = (ms, signal) => timeout(ms, undefined, { signal })

/** Returns the result of `work`, or that of `late` if `work` takes longer than `ms`. */
export async function within<T, Late>(
  ms: number,
  work: Promise<T>,
  late: () => Late,
  wait: AbortableWait,
): Promise<T | Late> {
  const ended = new AbortController()
  const tooLate = wait(ms, ended.signal).then(late)
  tooLate.catch(() => {})
  try {
    return await Promise.race([work, tooLate])
  } finally {
    ended.abort()
  }
}

/** Returns the result of `work`. Throws DatabaseUnavailableError if it takes longer than `ms`. */
export const answerWithin = <T>(ms: number, work: () => Promise<T>, wait: AbortableWait): Promise<T> =>
  within(
    ms,
    work(),
    () => {
      throw new DatabaseUnavailableError(new Error('no response in time'))
    },
    wait,
  )
