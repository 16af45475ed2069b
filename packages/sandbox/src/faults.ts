import type { SandboxAnswer } from './answers.js'
import type { Clock } from './lib/clock.js'
import type { RecordedRequest } from './route.js'

type Until = Promise<void> | (() => Promise<void>)

/** A fault in the response to one request. */
export type Fault =
  /** Sends this response instead of the right one. */
  | { kind: 'answer'; answer: SandboxAnswer }
  /** Sends a response that depends on the request. */
  | { kind: 'answer-for'; answer: (request: RecordedRequest) => SandboxAnswer }
  /** Sends the right answer with additional headers. */
  | { kind: 'headers'; headers: Record<string, string> }
  /** Sends the right answer once the promise resolves; a function returns a promise for each request. */
  | { kind: 'slow'; until: Until }
  /** Sends the right answer, but with the request's own cursor and a next page, so paging never advances. */
  | { kind: 'stuck-cursor' }
  /** Sends no response until the client disconnects or the sandbox closes. */
  | { kind: 'hang' }
  /** Resets the connection instead of answering. */
  | { kind: 'reset' }
  /** Resets the connection in the middle of the right answer. */
  | { kind: 'reset-in-body' }
  /** Carries out the request, then resets the connection instead of answering. */
  | { kind: 'accepted-then-reset' }
  /** Carries out the request, but sends this response. With `forgets`, a container that it publishes is gone afterwards. */
  | { kind: 'accepted-then-answer'; answer: SandboxAnswer; forgets?: true }
  /** Carries out the request at once, and answers once the promise resolves. */
  | { kind: 'accepted-then-slow'; until: Until }
  /** Uses up the private reply without sending it, and sends this response. */
  | { kind: 'spends-reply'; answer: SandboxAnswer }
  /**
   * Sends the right answer, but the container or video of the request is reported as still being processed for the first
   * `polls` polls. Then it fails if `error` is set.
   */
  | { kind: 'processing'; polls: number; error?: string }

/**
 * A behaviour that applies whenever people comment: `doubled` sends deliveries twice and shuffled; with `inbox` and
 * `publicly`, a human at the page answers first.
 */
export type Habit = 'doubled' | 'inbox' | 'publicly'

interface FaultRule {
  /** A name for the list of faults, such as that of a button on the control panel. */
  name?: string
  /** The requests that it applies to, by path or by predicate; every request by default. */
  match?: RegExp | ((request: RecordedRequest) => boolean)
  /** The number of requests that it applies to; 1 by default. */
  times?: number
  /** How long it lasts by the sandbox's clock; by default until it is used up. */
  seconds?: number
  /** Undefined for a habit, which affects no request. */
  fault?: Fault
  habit?: Habit
  /** Called when it applies to a request. */
  onUse?: () => void
}

/** A rule that is neither used up nor expired. */
interface ActiveFault {
  id: string
  name: string | undefined
  habit: Habit | undefined
  /** Infinity if the rule is never used up. */
  timesLeft: number
  /** Milliseconds since the epoch; Infinity if it does not expire. */
  endsAt: number
}

/** The scripted faults: each request gets the oldest rule that matches and is active. */
export interface Faults {
  /** Returns the rule's id. */
  add(rule: FaultRule): string
  /** Oldest first. */
  list(): readonly ActiveFault[]
  /** False if no rule has this id. */
  remove(id: string): boolean
  clear(): void
}

export function createFaults(clock: Clock): Faults & { next(request: RecordedRequest): Fault | undefined } {
  let rules: (ActiveFault & FaultRule)[] = []
  let lastId = 0
  const active = () => {
    const now = clock.now()
    rules = rules.filter(({ timesLeft, endsAt }) => timesLeft > 0 && endsAt > now)
    return rules
  }
  return {
    add(rule) {
      const { times = 1, seconds = Number.POSITIVE_INFINITY, name, habit } = rule
      const id = `fault_${++lastId}`
      rules.push({ ...rule, ...{ id, name, habit, timesLeft: times, endsAt: clock.now() + seconds * 1000 } })
      return id
    },
    list: active,
    remove(id) {
      const before = rules.length
      rules = rules.filter((rule) => rule.id !== id)
      return rules.length < before
    },
    clear: () => {
      rules = []
    },
    next(request) {
      const rule = active().find(
        ({ fault, match }) =>
          fault !== undefined &&
          (match === undefined || (match instanceof RegExp ? match.test(request.path) : match(request))),
      )
      if (rule === undefined) return undefined
      rule.timesLeft--
      rule.onUse?.()
      return rule.fault
    },
  }
}
