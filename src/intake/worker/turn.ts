import { insertIncomingComments } from '../../audience/incoming-comments.store.js'
import { applyFacts } from '../../audience/live/apply-facts.js'
import { eraseBodiesLater } from '../../audience/live/erase-bodies.js'
import { deletePurchasesOfSource } from '../../audience/live/forget.store.js'
import { forgetPeople } from '../../audience/live/forget-people.js'
import { findPeopleOf, keyOf } from '../../audience/live/ids.store.js'
import { type LiveAudience, lockLiveAudience, planByKeys } from '../../audience/live/live-audiences.store.js'
import { refreshPeople } from '../../audience/live/refresh.store.js'
import { revalueSome } from '../../audience/live/revalue.js'
import { findDetailsOfIds, findPersonDetails } from '../../audience/people/people.store.js'
import { type Database, DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import type { Context } from '../../http/context.js'
import type { SourceTrust } from '../../interface/generated/types.js'
import { type DecodedInParts, type FactsPart, NO_FACTS, toItemProblems } from '../decoders/in-parts.js'
import type { ExternalId, Fact, FoundFact } from '../facts.js'
import { addLeftOut } from '../hooks/activity.store.js'
import { DELETION_CODE, endDataDeletions } from '../inbox/data-deletions.store.js'
import {
  deleteKept,
  holdWaiting,
  listWaiting,
  takeDeliveries,
  type WaitingDelivery,
  type Wanted,
} from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import { insertProblems } from '../sources/problems.store.js'
import { findDoubts } from './claims.js'
import { addFound, type DeliveryFinding, NOTHING_FOUND, type Outcome, toProblems } from './outcome.js'

export type TurnContext = Pick<Context, 'database' | 'clock' | 'config' | 'log' | 'metrics'> & {
  intake: Pick<Intake, 'decoding'>
}

/** Deliveries of an organization that were read, but not applied yet. */
export interface Batch {
  organizationId: string
  /** The remaining steps. */
  steps: Step[]
  /** The number of the last delivery. */
  last: number | undefined
  /** True if more may be waiting after them. */
  isFull: boolean
  /** True if it has a delivery with many bytes or facts. */
  isLarge: boolean
}

/** The work of one transaction: whole deliveries, or one part of a large one. */
export type Step = readonly StepPart[]

interface StepPart {
  delivery: ReadDelivery
  part: FactsPart
  /** The delivery is removed from the inbox with this part. */
  isLast: boolean
}

/** The body is no longer needed: a problem reads it from the database. */
interface ReadDelivery extends Omit<WaitingDelivery, 'body'> {
  parts: DecodedInParts['parts']
  claim: DecodedInParts['claim'] | undefined
  /** The result of decoding it and of applying its earlier parts. */
  outcome: Outcome
}

/** The result of applying a step. */
export interface Turn {
  /** The number of applied deliveries. */
  applied: number
  /** True if values must still be recomputed. */
  isRevaluing: boolean
  /** True if another worker is processing the organization, so that this one skips it. */
  isLeft: boolean
}

/** The size of a batch: rows and bytes read at once. */
const SIZES = {
  postgres: { rows: 500, bytes: 2_000_000 },
  pglite: { rows: 100, bytes: 250_000 },
} as const satisfies Record<Database['engine'], { rows: number; bytes: number }>
/**
 * The weight of the facts in one transaction. The embedded engine runs on the thread that answers requests and has one
 * connection, so other queries wait for the transaction to end.
 */
const STEP_WEIGHTS = { postgres: 2_000, pglite: 200 } as const satisfies Record<Database['engine'], number>
/** The number of people per transaction whose values are recomputed. */
const REVALUED = { postgres: 1_000, pglite: 200 } as const satisfies Record<Database['engine'], number>
/** Only a few batches with at least this many bytes are held at once. */
export const LARGE_BYTES = 1_000_000
const ANSWER_MAX = { conversations: 10_000, purchases: 20_000 }

const SKIPPED: Turn = { applied: 0, isRevaluing: false, isLeft: true }

/** Reads and decodes the next deliveries of an organization. It removes nothing, so it can run ahead. */
export async function readBatch(
  { database, log, intake }: TurnContext,
  organizationId: string,
  wanted: Pick<Wanted, 'mark'> & Partial<Wanted>,
): Promise<Batch> {
  const size = { ...SIZES[database.engine], ...wanted }
  const waiting = await listWaiting(database, organizationId, size)
  const weight = STEP_WEIGHTS[database.engine]
  const decoded = await intake.decoding.decode(waiting, weight)
  const deliveries = waiting.map(({ body: _, ...delivery }, index): ReadDelivery => {
    const own = decoded[index]!
    if (!('failure' in own)) {
      const { parts, claim, problems } = own
      return { ...delivery, parts, claim, outcome: { ...NOTHING_FOUND, problems } }
    }
    const { source_id: sourceId, delivery_id: deliveryId } = delivery
    log.error({ err: own.failure, sourceId, deliveryId }, 'a delivery could not be decoded')
    return asFailed({ ...delivery, parts: [NO_FACTS], claim: undefined, outcome: NOTHING_FOUND })
  })
  const bytes = waiting.reduce((sum, { body }) => sum + body.length * 0.75, 0)
  const isFull = waiting.length === size.rows || bytes >= size.bytes
  const steps = toSteps(deliveries, weight)
  return { organizationId, steps, last: waiting.at(-1)?.delivery_id, isFull, isLarge: bytes >= LARGE_BYTES }
}

/** Small deliveries share a step. Each part of a large one is a separate step, in order. */
function toSteps(deliveries: readonly ReadDelivery[], weightMax: number): Step[] {
  // Values may have to be recomputed even without deliveries.
  if (deliveries.length === 0) return [[]]
  const steps: StepPart[][] = []
  let weight = Number.POSITIVE_INFINITY
  for (const delivery of deliveries) {
    const { parts } = delivery
    for (const [index, part] of parts.entries()) {
      if (parts.length > 1 || weight + part.weight > weightMax) {
        steps.push([])
        weight = 0
      }
      weight += parts.length > 1 ? Number.POSITIVE_INFINITY : part.weight
      steps.at(-1)!.push({ delivery, part, isLast: index === parts.length - 1 })
    }
  }
  return steps
}

/**
 * Applies a step in one transaction, and removes the deliveries that end with it. If it fails, the step is split until the
 * failing delivery is by itself, and that one is stored as a problem. An organization that another worker is processing is
 * skipped.
 */
export async function applyStep(context: TurnContext, organizationId: string, step: Step): Promise<Turn> {
  const { database, log } = context
  const apply = async (parts: Step): Promise<Turn> => {
    const applied = await database.transaction((tx) => applyIn(tx, context, organizationId, parts))
    return applied === undefined ? SKIPPED : note(context, applied)
  }
  try {
    return await apply(step)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || step.length === 0) throw error
    if (step.length > 1) return await applySplit(context, organizationId, step)
    const { delivery } = step[0]!
    const { source_id: sourceId, delivery_id: deliveryId } = delivery
    log.error(
      { err: error, organizationId, sourceId, deliveryId },
      'a delivery could not be applied, and was stored as a problem of its source',
    )
    return await apply([{ delivery: asFailed(delivery), part: NO_FACTS, isLast: true }])
  }
}

async function applySplit(context: TurnContext, organizationId: string, step: Step): Promise<Turn> {
  const size = Math.ceil(step.length / 4)
  let whole: Turn = { applied: 0, isRevaluing: false, isLeft: false }
  for (let from = 0; from < step.length && !whole.isLeft; from += size) {
    const some = await applyStep(context, organizationId, step.slice(from, from + size))
    whole = { ...some, applied: whole.applied + some.applied }
  }
  return whole
}

/** Counts what was committed, and keeps the findings for the later parts of a delivery. */
function note({ metrics }: TurnContext, { applied, isRevaluing, problems, outcomes }: Applied): Turn {
  metrics.countDeliveries('applied', applied)
  metrics.countDeliveries('problem', problems)
  for (const [delivery, outcome] of outcomes) delivery.outcome = outcome
  return { applied, isRevaluing, isLeft: false }
}

const FAILED = toItemProblems([
  {
    item: '',
    reason: 'The delivery could not be applied because of a server error. See the server log, and retry it later.',
  },
])

const asFailed = (delivery: ReadDelivery): ReadDelivery => ({
  ...delivery,
  claim: undefined,
  outcome: { ...delivery.outcome, problems: FAILED },
})

interface Applied {
  applied: number
  isRevaluing: boolean
  problems: number
  outcomes: ReadonlyMap<ReadDelivery, Outcome>
}

/** Returns undefined if another worker is processing the organization. */
async function applyIn(
  tx: Queryable,
  context: TurnContext,
  organizationId: string,
  step: Step,
): Promise<Applied | undefined> {
  const live = await lockLiveAudience(tx, organizationId, 'skip')
  if (live === undefined) return undefined
  await planByKeys(tx)
  const isRevaluing = await revalueSome(tx, organizationId, live, REVALUED[context.database.engine])
  const now = new Date(context.clock.now())
  const keep = context.config.intake.keepMs > 0 ? { at: now } : undefined
  const waiting = new Set(
    await holdWaiting(
      tx,
      organizationId,
      step.map(({ delivery }) => delivery.delivery_id),
    ),
  )
  const parts = step.filter(({ delivery }) => waiting.has(delivery.delivery_id))
  const outcomes = new Map<ReadDelivery, Outcome>()
  const untrusted = new Map<string, number>()
  for (const sourceId of new Set(parts.map(({ delivery }) => delivery.source_id))) {
    const own = parts.filter(({ delivery }) => delivery.source_id === sourceId)
    const onUntrusted = () => void untrusted.set(sourceId, (untrusted.get(sourceId) ?? 0) + 1)
    const { trust } = own[0]!.delivery
    const found = await applyOfSource(tx, { organizationId, live, now, sourceId, trust, onUntrusted }, own)
    for (const [index, { delivery }] of own.entries()) outcomes.set(delivery, found[index]!)
  }
  const ended = parts.flatMap(({ delivery, isLast }) => (isLast ? [delivery] : []))
  const problems = ended.flatMap((delivery) => toProblems(delivery, outcomes.get(delivery)!))
  await insertProblems(tx, organizationId, problems)
  await addLeftOut(tx, organizationId, untrusted)
  const idsOf = (deliveries: readonly ReadDelivery[]): number[] => deliveries.map(({ delivery_id }) => delivery_id)
  const taken = ended.length === 0 ? [] : await takeDeliveries(tx, organizationId, idsOf(ended), keep)
  await deleteKept(tx, organizationId, idsOf(ended.filter((delivery) => outcomes.get(delivery)!.namesErasedPeople)))
  return { applied: taken.length, isRevaluing, problems: problems.length, outcomes }
}

interface Scope {
  organizationId: string
  sourceId: string
  live: LiveAudience
  now: Date
  trust: SourceTrust
  /** Called for each item that is left out because the source is not trusted with it. */
  onUntrusted: () => void
}

/** Applies parts of deliveries of one source. Returns the findings of each, in order. */
async function applyOfSource(tx: Queryable, scope: Scope, parts: Step): Promise<Outcome[]> {
  // The facts of all parts are applied together, so each item is prefixed with the index of its part.
  const foundOfParts = parts.map(({ part }) => JSON.parse(part.facts) as FoundFact[])
  const doubts = await findDoubts(
    tx,
    scope,
    parts.map(({ delivery }, index) => ({ delivery, facts: foundOfParts[index]!.map(({ fact }) => fact) })),
  )
  const facts = foundOfParts.flatMap((found, index) =>
    doubts[index] === undefined ? found.map(({ item, fact }) => ({ item: `${index} ${item}`, fact })) : [],
  )
  const indexOf = (item: string): number => Number(item.split(' ', 1)[0])
  const leftOut = new Set<string>()
  const refused: DeliveryFinding[] = [
    ...(await applyFacts(tx, { ...scope, leftOut }, facts)),
    ...(await applyOtherFacts(tx, { ...scope, leftOut }, facts)),
  ]
  const found: DeliveryFinding[][] = parts.map(() => [])
  for (const problem of refused) {
    const [index, ...rest] = problem.item.split(' ')
    found[Number(index)]!.push({ ...problem, item: rest.join(' ') })
  }
  const forgets = facts.filter(({ fact }) => fact.type === 'forget' || fact.type === 'forgetSource')
  const ofForgotten = new Set([...leftOut, ...forgets.map(({ item }) => item)].map(indexOf))
  const outcomes = parts.map(({ delivery, isLast }, index) => {
    const before = isLast ? wholeOutcomeOf(delivery, scope, doubts[index]) : delivery.outcome
    return addFound(before, found[index]!, ofForgotten.has(index))
  })
  const codes = parts.flatMap(({ delivery, isLast }, index) =>
    isLast && outcomes[index]!.problems.count === 0 ? (delivery.headers[DELETION_CODE] ?? []) : [],
  )
  await endDataDeletions(tx, [scope.organizationId, scope.sourceId], codes, scope.now)
  return outcomes
}

/** Returns the outcome of a delivery before its last part is applied. */
function wholeOutcomeOf({ outcome }: ReadDelivery, { trust, onUntrusted }: Scope, doubt: string | undefined): Outcome {
  if (doubt !== undefined) return { ...outcome, problems: toItemProblems([{ item: '', reason: doubt }]) }
  if (trust === 'full' || outcome.problems === FAILED) return outcome
  // Anyone who has read the source's key could bury real problems under their own, so these are only counted.
  for (let count = 0; count < outcome.problems.count; count++) onUntrusted()
  return { ...outcome, problems: NOTHING_FOUND.problems }
}

const isOf =
  <T extends Fact['type']>(type: T) =>
  (found: FoundFact): found is FoundFact & { fact: Extract<Fact, { type: T }> } =>
    found.fact.type === type

/** Applies the facts that concern more than the audience: comments, data requests, and erasures. */
async function applyOtherFacts(
  tx: Queryable,
  scope: Scope & { leftOut: ReadonlySet<string> },
  facts: readonly FoundFact[],
): Promise<DeliveryFinding[]> {
  const { organizationId, sourceId, now, live, leftOut } = scope
  const problems: DeliveryFinding[] = []
  const comments = facts.filter(isOf('comment')).filter(({ item }) => !leftOut.has(item))
  const unknown = await insertIncomingComments(
    tx,
    organizationId,
    comments.map(({ fact }) => fact),
    now,
  )
  for (const { item, fact } of comments) {
    if (!unknown.has(fact.channelId)) continue
    problems.push({ item, reason: `The organization has no channel ${fact.channelId}: create it, then retry.` })
  }
  for (const { item, fact } of facts.filter(isOf('dataRequest'))) {
    problems.push({ item, ...(await answerDataRequest(tx, organizationId, fact.ids)) })
  }
  for (const { fact } of facts.filter(isOf('forget'))) await forgetPeople(tx, organizationId, fact.ids, now)
  if (facts.some(isOf('forgetSource'))) {
    const buyers = await deletePurchasesOfSource(tx, organizationId, sourceId)
    const people = await findPeopleOf(tx, organizationId, buyers as ExternalId[])
    await refreshPeople(
      tx,
      organizationId,
      live,
      buyers.flatMap((buyer) => people.get(keyOf(buyer)) ?? (buyer.kind === 'userId' ? [buyer.id] : [])),
    )
    await eraseBodiesLater(tx, organizationId, { sourceId })
  }
  return problems
}

/** Creates the file with which a human answers a person who asks for their data. */
async function answerDataRequest(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
): Promise<Omit<DeliveryFinding, 'item'>> {
  const people = await findPeopleOf(tx, organizationId, ids)
  const own = ids.find(({ kind }) => kind === 'userId')?.id
  const cuid = [...people.values()][0] ?? own
  const answer =
    cuid === undefined
      ? await findDetailsOfIds(tx, organizationId, ids, ANSWER_MAX)
      : await findPersonDetails(tx, organizationId, cuid, ANSWER_MAX)
  if (answer === undefined) {
    return {
      reason:
        'A person asks for their data, and nothing is known about them: let them know, then dismiss this problem.',
    }
  }
  const { purchases, purchasesTotal, conversations, conversationsTotal } = answer
  const isAll = purchases.length === purchasesTotal && conversations.length === conversationsTotal
  const extent = isAll
    ? ''
    : ` It contains ${purchases.length} of ${purchasesTotal} purchases and ${conversations.length} of ${conversationsTotal} conversations: the rest is only in the database.`
  return {
    reason: `A person asks for their data: give them the attached file, then dismiss this problem.${extent}`,
    answer,
  }
}
