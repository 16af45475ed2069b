import type { StartTimer } from '../src/lib/wait.js'

/** Timers that end when a test says so, so that no test waits for a call that hangs. */
export interface Patience {
  startTimer: StartTimer
  /** Ends the running timers once the caller has returned. */
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

/** Applies a fault to the requests that `match` names, and ends patience for them. */
export const impatiently =
  <Request>(patience: Pick<Patience, 'end'>, match: (request: Request) => boolean = () => true) =>
  (request: Request): boolean => {
    const isIt = match(request)
    if (isIt) patience.end()
    return isIt
  }
