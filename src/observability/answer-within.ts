import { setTimeout as timeout } from 'node:timers/promises'
import { DatabaseUnavailableError } from '../database/database.js'

/** Rejects when the signal is aborted. A dependency, so that no test waits. */
export type AbortableWait = (ms: number, signal: AbortSignal) => Promise<unknown>

export const waitUntilAborted: AbortableWait = (ms, signal) => timeout(ms, undefined, { signal })

/** Gives what `work` gives, or what `late` gives when that takes longer than `ms`. */
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

/** Gives what `work` gives. Throws DatabaseUnavailableError when that takes longer than `ms`. */
export const answerWithin = <T>(ms: number, work: () => Promise<T>, wait: AbortableWait): Promise<T> =>
  within(
    ms,
    work(),
    () => {
      throw new DatabaseUnavailableError(new Error('no answer in time'))
    },
    wait,
  )
