import { setTimeout as timeout } from 'node:timers/promises'
import { DatabaseUnavailableError } from '../database/database.js'

/** Rejects when the signal is aborted. A dependency, so that no test waits. */
export type AbortableWait = (ms: number, signal: AbortSignal) => Promise<unknown>

export const waitUntilAborted: AbortableWait = (ms, signal) => timeout(ms, undefined, { signal })

/** Gives what `work` gives. Throws DatabaseUnavailableError when that takes longer than `ms`. */
export async function answerWithin<T>(ms: number, work: () => Promise<T>, wait: AbortableWait): Promise<T> {
  const answered = new AbortController()
  const tooLate = wait(ms, answered.signal).then(() => {
    throw new DatabaseUnavailableError(new Error('no answer in time'))
  })
  tooLate.catch(() => {})
  try {
    return await Promise.race([work(), tooLate])
  } finally {
    answered.abort()
  }
}
