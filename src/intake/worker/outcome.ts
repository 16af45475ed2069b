import { newId } from '../../lib/ids.js'
import { type ItemProblems, NAMED_PROBLEMS } from '../decoders/in-parts.js'
import type { FoundProblem } from '../facts.js'
import type { WaitingDelivery } from '../inbox/inbox.store.js'
import type { ProblemToInsert } from '../sources/problems.store.js'

type OfProblem = Pick<WaitingDelivery, 'delivery_id' | 'source_id' | 'received_at' | 'topic' | 'headers'>

/** An item that could not be applied, or that a person must answer. */
export type FoundOfDelivery = FoundProblem & Pick<ProblemToInsert, 'answer'>

/** The problems and answers of a delivery. A large delivery is applied in parts, and each part adds its own. */
export interface Outcome {
  problems: ItemProblems
  answers: readonly FoundOfDelivery[]
  /** True if it names erased people, so its body is not kept. */
  isOfForgotten: boolean
}

export const NOTHING_FOUND: Outcome = { problems: { first: [], count: 0 }, answers: [], isOfForgotten: false }

export function addFound(outcome: Outcome, found: readonly FoundOfDelivery[], isOfForgotten: boolean): Outcome {
  const problems = found.filter(({ answer }) => answer === undefined)
  const answers = found.filter(({ answer }) => answer !== undefined)
  const { first, count } = outcome.problems
  return {
    problems: { first: [...first, ...problems].slice(0, NAMED_PROBLEMS), count: count + problems.length },
    answers: [...outcome.answers, ...answers],
    isOfForgotten: outcome.isOfForgotten || isOfForgotten,
  }
}

/**
 * Combines all problem items of a delivery into one problem: its body is stored once, and a retry, which covers the whole
 * delivery, leaves no other item's problem behind. A response to a person is separate.
 */
export function toProblems(delivery: OfProblem, { problems, answers, isOfForgotten }: Outcome): ProblemToInsert[] {
  const [first, ...others] = problems.first
  const whole = first === undefined ? [] : [{ ...first, reason: reasonOf(first, others, problems.count) }]
  const inserted = [...whole, ...answers].map((problem) => toProblem(delivery, problem))
  return isOfForgotten ? inserted.map(withoutBody) : inserted
}

function reasonOf(first: FoundProblem, others: readonly FoundProblem[], count: number): string {
  if (others.length === 0) return first.reason
  const named = others.map(({ item, reason }) => ` ${item}: ${reason}`).join('')
  return `${first.reason} ${count - 1} more:${named}${count > others.length + 1 ? ' …' : ''}`
}

/** It has the time of the delivery, so that events without a time get the same one when it is retried. */
const toProblem = (delivery: OfProblem, { item, reason, answer }: FoundOfDelivery): ProblemToInsert => ({
  problemId: newId('prb'),
  sourceId: delivery.source_id,
  at: delivery.received_at,
  item,
  reason,
  topic: delivery.topic,
  headers: delivery.headers,
  body: { deliveryId: delivery.delivery_id },
  answer,
})

const DATA_REQUEST = 'customers/data_request'
const NOT_KEPT = 'The delivery names a person who was forgotten, so its body is not kept and it cannot be retried.'

/** Only the body names a person who asks for their data, and who must learn that nothing is known. */
const withoutBody = (problem: ProblemToInsert): ProblemToInsert =>
  problem.topic === DATA_REQUEST
    ? problem
    : { ...problem, reason: `${problem.reason} ${NOT_KEPT}`, body: Buffer.alloc(0) }
