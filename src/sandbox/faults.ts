import type { SandboxAnswer } from './answers.js'
import type { RecordedRequest } from './route.js'

/** A fault that one answer has. */
export type Fault =
  /** This answer in place of the right one. */
  | { kind: 'answer'; answer: SandboxAnswer }
  /** The right answer with further headers. */
  | { kind: 'headers'; headers: Record<string, string> }
  /** The right answer, once the promise resolves. */
  | { kind: 'slow'; until: Promise<void> }
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
  /** The request is carried out, and answered with this. */
  | { kind: 'accepted-then-answer'; answer: SandboxAnswer }
  /** The request is carried out at once, and answered once the promise resolves. */
  | { kind: 'accepted-then-slow'; until: Promise<void> }
  /** The private reply is used up without being sent, and this is answered. */
  | { kind: 'spends-reply'; answer: SandboxAnswer }
  /**
   * The right answer, but the container or video that the request makes is still being processed at its first `polls`
   * polls, and then has failed with `error` where there is one.
   */
  | { kind: 'processing'; polls: number; error?: string }

interface FaultRule {
  /** Which requests it applies to: by path or by predicate; every one when left out. */
  match?: RegExp | ((request: RecordedRequest) => boolean)
  /** How many requests it applies to before it is used up; 1 when left out. */
  times?: number
  fault: Fault
}

/** The script of what goes wrong: for each request the oldest rule that matches and is not used up. */
export interface Faults {
  add(rule: FaultRule): void
  clear(): void
}

export function createFaults(): Faults & { next(request: RecordedRequest): Fault | undefined } {
  let rules: (FaultRule & { left: number })[] = []
  return {
    add: (rule) => void rules.push({ ...rule, left: rule.times ?? 1 }),
    clear: () => {
      rules = []
    },
    next(request) {
      const rule = rules.find(
        ({ left, match }) =>
          left > 0 && (match === undefined || (match instanceof RegExp ? match.test(request.path) : match(request))),
      )
      if (rule !== undefined) rule.left--
      return rule?.fault
    },
  }
}
