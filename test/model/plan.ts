import { type SeededRandom, seededRandom } from '../../packages/sandbox/src/lib/seeded-random.js'
import { ORGANIZATIONS, type OrganizationName, PEOPLE } from './stage.js'

/** One action of an actor. It follows from `roll` and the status that the actor finds. */
export interface Step {
  /** The index of a person, or `key`. */
  actor: number | 'key'
  /** The number of the post in the sequence. */
  post: number
  /** Both are from 0 up to 1: `roll` chooses the action, and `choice` the channel or the value. */
  roll: number
  choice: number
  /** The number of the node that is called first. */
  node: number
  /** The wait before the step, in milliseconds of the machine. */
  waitMs: number
  /** True if the step begins while the previous one is still running. */
  isBeside: boolean
  disturbance: Disturbance | undefined
}

/** A disturbance of the service or the platform before a step. */
export type Disturbance =
  | { kind: 'fault'; fault: FaultName; channel: number }
  | { kind: 'kill'; node: number }
  | { kind: 'pause'; node: number; ms: number }
  | { kind: 'token'; channel: number }
  | { kind: 'inactive'; ms: number }

const FAULT_NAMES = [
  'refused',
  'refused',
  'reset',
  'bad gateway',
  'accepted, then reset',
  'accepted, then bad gateway',
  'reset in the response',
  'no response',
  'limit',
  'processing',
] as const
export type FaultName = (typeof FAULT_NAMES)[number]

/** A short story of a few posts and two to four actors. */
export interface Sequence {
  index: number
  organization: OrganizationName
  /** True if the sequence begins with a post that is published on some of its channels. */
  isPartlyOut: boolean
  steps: Step[]
}

const STEPS_MAX = 26

/** Makes the sequence with this number. It depends only on the seed, not on what comes before it. */
export function planSequence(seed: number, index: number, engine: 'postgres' | 'embedded'): Sequence {
  const random = seededRandom(seed * 1_000_003 + index)
  const actors: Step['actor'][] = Array.from({ length: PEOPLE }, (_, person) => person).slice(
    0,
    random.integer(2, PEOPLE),
  )
  if (random.chance(0.4)) actors[actors.length - 1] = 'key'
  const posts = random.pick([1, 1, 2, 3])
  const nodes = engine === 'postgres' ? 2 : 1
  const { name } = random.pick(ORGANIZATIONS)
  const isPartlyOut = random.chance(0.3)
  const steps = Array.from(
    { length: random.integer(8, STEPS_MAX) },
    (): Step => ({
      actor: random.pick(actors),
      post: random.integer(0, posts - 1),
      roll: random.next(),
      choice: random.next(),
      node: random.integer(0, nodes - 1),
      waitMs: random.chance(0.3) ? random.integer(200, 2_500) : random.integer(0, 60),
      isBeside: random.chance(0.25),
      disturbance: random.chance(0.3) ? planDisturbance(random, nodes, name) : undefined,
    }),
  )
  return { index, organization: name, isPartlyOut, steps }
}

function planDisturbance(random: SeededRandom, nodes: number, organization: OrganizationName): Disturbance {
  const roll = random.next()
  const node = random.integer(0, nodes - 1)
  const channel = random.integer(0, 2)
  if (roll < 0.06) return { kind: 'kill', node }
  if (roll < 0.16) return { kind: 'pause', node, ms: random.integer(100, 2_500) }
  if (roll < 0.24) return { kind: 'token', channel }
  if (roll < 0.34 && organization === 'switched') return { kind: 'inactive', ms: random.integer(300, 2_500) }
  return { kind: 'fault', fault: random.pick(FAULT_NAMES), channel }
}
