import { DatabaseUnavailableError, type Log } from '../database/database.js'
import { type Wait, waitJittered } from '../lib/wait.js'

/** A worker that repeatedly looks for work. */
export interface Loop {
  /** Runs the work once more at once, or right after the current run. It does not postpone the next poll. */
  nudge(): void
  /** Starts no further run. Resolves when the current one has ended. */
  stop(): Promise<void>
}

export interface LoopOptions {
  /** Names the work in the log, as in `${name} failed`. */
  name: string
  log: Log
  everyMs: number
  /** Waits between two polls. */
  wait?: Wait
}

/**
 * Runs `work` at once and then every `everyMs`, one run after the other; `signal` is aborted when the loop is stopped. An
 * error ends a run, but never the loop. It is logged when the work starts to fail, and again when it succeeds. An
 * unavailable database is not logged here, because the connection logs it.
 */
export function startLoop(
  work: (reason: 'poll' | 'nudge', signal: AbortSignal) => Promise<unknown>,
  { name, log, everyMs, wait = waitJittered }: LoopOptions,
): Loop {
  const stopping = new AbortController()
  const { signal } = stopping
  let isFailing = false
  let isNudged = false
  let wake = (): void => {}

  async function attempt(reason: 'poll' | 'nudge'): Promise<void> {
    isNudged = false
    try {
      await work(reason, signal)
      if (isFailing) log.info(`${name} works again`)
      isFailing = false
    } catch (error) {
      if (signal.aborted || error instanceof DatabaseUnavailableError) return
      if (!isFailing) log.error({ err: error }, `${name} failed`)
      isFailing = true
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await attempt('poll')
      let isPollDue = false
      void wait(everyMs, signal)
        .catch(() => {})
        .then(() => {
          isPollDue = true
          wake()
        })
      while (!isPollDue && !signal.aborted) {
        if (isNudged) await attempt('nudge')
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    }
  }
  const running = run()

  return {
    nudge() {
      isNudged = true
      wake()
    },
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}
