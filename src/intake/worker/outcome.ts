import { newId } from '../../lib/ids.js'
import { type ItemProblems, NAMED_PROBLEMS } from '../decoders/in-parts.js'
import type { FoundProblem } from '../facts.js'
import type { WaitingDelivery } from '../inbox/inbox.store.js'
import type { ProblemToInsert } from '../sources/problems.store.js'

type DeliveryFields = Pick<WaitingDelivery, 'delivery_id' | 'source_id' | 'received_at' | 'topic' | 'headers'>

/** An item that could not be applied, or that a person must answer. */
export type DeliveryFinding = FoundProblem & Pick<ProblemToInsert, 'answer'>

/** The problems and answers of a delivery. A large delivery is applied in parts, and each part adds its own. */
export interface Outcome {
  problems: ItemProblems
  answers: readonly DeliveryFinding[]
  /** True if it names erased people, so its body is not kept. */
  namesErasedPeople: boolean
}

export const NOTHING_FOUND: Outcome = { problems: { first: [], count: 0 }, answers: [], namesErasedPeople: false }

export function addFound(outcome: Outcome, found: readonly DeliveryFinding[], namesErasedPeople: boolean): Outcome {
  const problems = found.filter(({ answer }) => answer === undefined)
  const answers = found.filter(({ answer }) => answer !== undefined)
  const { first, count } = outcome.problems
  return {
    problems: { first: [...first, ...problems].slice(0, NAMED_PROBLEMS), count: count + problems.length },
    answers: [...outcome.answers, ...answers],
    namesErasedPeople: outcome.namesErasedPeople || namesErasedPeople,
  }
}

/**
 * Combines the problems of all items of a delivery into one, because a retry covers the whole delivery: the body is stored
 * once, and no item's problem is left behind. A response to a person is separate.
 */
export function toProblems(
  delivery: DeliveryFields,
  { problems, answers, namesErasedPeople }: Outcome,
): ProblemToInsert[] {
  const [first, ...others] = problems.first
  const whole = first === undefined ? [] : [{ ...first, reason: reasonOf(first, others, problems.count) }]
  const inserted = [...whole, ...answers].map((problem) => toProblem(delivery, problem))
  return namesErasedPeople ? inserted.map(withoutBody) : inserted
}

function reasonOf(first: FoundProblem, others: readonly FoundProblem[], count: number): string {
  if (others.length === 0) return first.reason
  const named = others.map(({ item, reason }) => ` ${item}: ${reason}`).join('')
  return `${first.reason} ${count - 1} more:${named}${count > others.length + 1 ? ' …' : ''}`
}

/** The problem has the time of the delivery, so that events without their own time get the same one at a retry. */
const toProblem = (delivery: DeliveryFields, { item, reason, answer }: DeliveryFinding): ProblemToInsert => ({
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
const NOT_KEPT = 'The delivery names a person who was erased, so its body is not kept and it cannot be retried.'

/** Keeps the body of a data request: only it names the person, who must learn that nothing is known about them. */
const withoutBody = (problem: ProblemToInsert): ProblemToInsert =>
  problem.topic === DATA_REQUEST
    ? problem
    : { ...problem, reason: `${problem.reason} ${NOT_KEPT}`, body: Buffer.alloc(0) }
