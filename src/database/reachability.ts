import { type ConnectionFault, toConnectionSentence } from './connection-fault.js'
import type { Log } from './database.js'

/** The database counts as back after this long without another failure. */
const BACK_AFTER_MS = 1_000

export type Reachability = ReturnType<typeof watchReachability>

/** Logs when the database becomes unavailable and when it is back, one line each, however many calls notice it. */
export function watchReachability(log: Log | undefined, now = (): number => performance.now()) {
  let awaySince: number | undefined
  let failedAt = 0
  return {
    /** `fault` explains it in a sentence if no connection could be made. */
    failed(error: unknown, fault?: ConnectionFault): void {
      failedAt = now()
      if (awaySince !== undefined) return
      awaySince = failedAt
      if (fault === undefined) log?.error({ err: error }, 'the database is unreachable')
      else log?.error({ fault: toConnectionSentence(fault) }, 'the database is unreachable')
    },
    answered(): void {
      if (awaySince === undefined) return
      // Some calls may succeed while others fail.
      if (now() - failedAt < BACK_AFTER_MS) return
      log?.info({ awayMs: Math.round(now() - awaySince) }, 'the database is reachable again')
      awaySince = undefined
    },
  }
}
