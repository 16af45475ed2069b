import { hash } from 'node:crypto'
import type { SourceType, ValueFrom } from '../../interface/generated/types.js'
import type { Decoded, Fact, FoundProblem } from '../facts.js'
import { DECODERS } from './index.js'

/** A delivery as it is stored. */
export interface Undecoded {
  type: SourceType
  value_from: ValueFrom
  counted_statuses: readonly string[]
  uncounted_statuses: readonly string[]
  topic: string | null
  headers: Record<string, string>
  /** In base64. */
  body: string
  received_at: Date
}

/** Some of the facts of a delivery, for one transaction. */
export interface FactsPart {
  /** JSON of FoundFact[]: the applying thread parses no more than it applies. */
  facts: string
  weight: number
}

/** Problems of a delivery's items. */
export interface ItemProblems {
  /** The first ones; the others are only counted. */
  first: readonly FoundProblem[]
  count: number
}

export interface DecodedInParts {
  /** At least one, in the order of the delivery. */
  parts: readonly [FactsPart, ...FactsPart[]]
  problems: ItemProblems
  /** A claim to compare with earlier deliveries before the delivery is applied (intake/worker/claims.ts). */
  claim?: Claim
}

/** The statements of a body about itself, which its unsigned topic may contradict. */
export interface Claim {
  /** Undefined for a body that removes nothing. */
  topic: string | undefined
  shopId: string | undefined
  /** SHA-256 of the body, in base64url. */
  bodyHash: string
}

/** The number of problems named in the reason of a delivery, including the first. */
export const NAMED_PROBLEMS = 21

export const toItemProblems = (problems: readonly FoundProblem[]): ItemProblems => ({
  first: problems.slice(0, NAMED_PROBLEMS),
  count: problems.length,
})

export const NO_FACTS: FactsPart = { facts: '[]', weight: 0 }

/** Decodes a delivery. Each part weighs at most `partWeight`, or has one fact. Throws what a decoder throws. */
export function decodeInParts(delivery: Undecoded, partWeight: number): DecodedInParts {
  const { topic, headers, type, value_from: valueFrom, counted_statuses: counted } = delivery
  const body = Buffer.from(delivery.body, 'base64')
  const statuses = { counted, uncounted: delivery.uncounted_statuses }
  const receivedAt = delivery.received_at.getTime()
  const decoded = DECODERS[type]({ topic, headers, body, receivedAt }, { valueFrom, statuses })
  const claim = claimOf(decoded, body)
  return {
    parts: toParts(decoded, partWeight),
    problems: toItemProblems(decoded.problems),
    ...(claim !== undefined && { claim }),
  }
}

function claimOf({ claim: topic, shopId, facts }: Decoded, body: Buffer): Claim | undefined {
  const isRestored = facts.some(({ fact }) => fact.type === 'orderRestored')
  if (topic === undefined && shopId === undefined && !isRestored) return undefined
  return { topic, shopId, bodyHash: hash('sha256', body, 'base64url') }
}

function toParts({ facts }: Decoded, partWeight: number): DecodedInParts['parts'] {
  const [first = NO_FACTS, ...others] = divide(facts, partWeight)
  return [first, ...others]
}

function* divide(facts: Decoded['facts'], partWeight: number): Generator<FactsPart> {
  let from = 0
  let weight = 0
  for (const [index, { fact }] of facts.entries()) {
    const own = weightOf(fact)
    if (index > from && weight + own > partWeight) {
      yield { facts: JSON.stringify(facts.slice(from, index)), weight }
      from = index
      weight = 0
    }
    weight += own
  }
  if (from < facts.length) yield { facts: JSON.stringify(facts.slice(from)), weight }
}

/** Returns about how many rows a fact writes. */
function weightOf(fact: Fact): number {
  switch (fact.type) {
    case 'link':
      return fact.ids.length
    case 'profile':
      return Math.max(1, Object.keys(fact.fields).length)
    case 'message':
    case 'linkConversation':
    case 'refund':
      return 2
    default:
      return 1
  }
}
