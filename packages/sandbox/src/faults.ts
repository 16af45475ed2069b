import type { SandboxAnswer } from './answers.js'
import type { Clock } from './lib/clock.js'
import type { RecordedRequest } from './route.js'

type Until = Promise<void> | (() => Promise<void>)

/** A fault that one answer has. */
export type Fault =
  /** This answer in place of the right one. */
  | { kind: 'answer'; answer: SandboxAnswer }
  /** The same, worded for the request. */
  | { kind: 'answer-for'; answer: (request: RecordedRequest) => SandboxAnswer }
  /** The right answer with further headers. */
  | { kind: 'headers'; headers: Record<string, string> }
  /** The right answer, once the promise resolves; a function gives one for each request. */
  | { kind: 'slow'; until: Until }
  /** The right answer, but its cursor is the one that was sent, and there is always a next page. */
  | { kind: 'stuck-cursor' }
  /** No answer until the client disconnects or the sandbox closes. */
  | { kind: 'hang' }
  /** The connection is reset in place of an answer. */
  | { kind: 'reset' }
  /** The connection is reset in the middle of the right answer. */
  | { kind: 'reset-in-body' }
  /** The request is carried out, and then the connection is reset in place of the answer. */
  | { kind: 'accepted-then-reset' }
  /** The request is carried out, and answered with this; a container that it publishes is gone then, if it `forgets`. */
  | { kind: 'accepted-then-answer'; answer: SandboxAnswer; forgets?: true }
  /** The request is carried out at once, and answered once the promise resolves. */
  | { kind: 'accepted-then-slow'; until: Until }
  /** The private reply is used up without being sent, and this is answered. */
  | { kind: 'spends-reply'; answer: SandboxAnswer }
  /**
   * The right answer, but the container or video that the request makes is still being processed at its first `polls`
   * polls, and then has failed with `error` where there is one.
   */
  | { kind: 'processing'; polls: number; error?: string }

/** Something that happens as people comment: twice and shuffled, or a human of the page answers first. */
export type Habit = 'doubled' | 'inbox' | 'publicly'

interface FaultRule {
  /** The name of a known fault. */
  name?: string
  /** Which requests it applies to: by path or by predicate; every one when left out. */
  match?: RegExp | ((request: RecordedRequest) => boolean)
  /** How many requests it applies to before it is used up; 1 when left out. */
  times?: number
  /** How long it stays, by the sandbox's clock; until it is used up when left out. */
  seconds?: number
  /** Left out for a habit, which no request has. */
  fault?: Fault
  habit?: Habit
  /** Called when it applies to a request. */
  onUse?: () => void
}

/** A rule that is neither used up nor over. */
interface ActiveFault {
  id: string
  name: string | undefined
  habit: Habit | undefined
  /** Infinity for any number. */
  timesLeft: number
  /** Milliseconds since the epoch; Infinity for one that stays. */
  endsAt: number
}

/** The script of what goes wrong: for each request the oldest rule that matches and is not used up. */
export interface Faults {
  /** Gives the rule's id. */
  add(rule: FaultRule): string
  /** Oldest first. */
  list(): readonly ActiveFault[]
  /** False where there is none of this id. */
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
