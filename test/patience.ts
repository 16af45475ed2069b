import type { StartTimer } from '../src/lib/wait.js'

/** Timers that end when a test says so, so that no test waits for what hangs. */
export interface Patience {
  startTimer: StartTimer
  /** Ends what runs now, once the caller has returned. */
  end(): void
}

export function createPatience(): Patience {
  const running = new Set<() => void>()
  return {
    startTimer(action) {
      const timer = (): void => action()
      running.add(timer)
      return () => running.delete(timer)
    },
    end: () =>
      void setImmediate(() => {
        for (const timer of running) timer()
        running.clear()
      }),
  }
}

/** Which requests a fault applies to: those that `match` names, for which patience ends. */
export const impatiently =
  <Request>(patience: Pick<Patience, 'end'>, match: (request: Request) => boolean = () => true) =>
  (request: Request): boolean => {
    const isIt = match(request)
    if (isIt) patience.end()
    return isIt
  }
