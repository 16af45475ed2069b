import { setImmediate as nextTurn } from 'node:timers/promises'
import { insertIncomingComments } from '../../audience/incoming-comments.store.js'
import { applyFacts } from '../../audience/live/apply-facts.js'
import { eraseBodiesLater } from '../../audience/live/erase-bodies.js'
import { deletePurchasesOfSource } from '../../audience/live/forget.store.js'
import { forgetPeople } from '../../audience/live/forget-people.js'
import { findPeopleOf, keyOf } from '../../audience/live/ids.store.js'
import { type LiveAudience, lockLiveAudience, planByKeys } from '../../audience/live/live-audiences.store.js'
import { refreshPeople } from '../../audience/live/refresh.store.js'
import { revalueSome } from '../../audience/live/revalue.js'
import { findDetailsOfIds, findPersonDetails } from '../../audience/people/person-details.store.js'
import { type Database, DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import type { Context } from '../../http/context.js'
import type { SourceTrust } from '../../interface/intake.js'
import { newId } from '../../lib/ids.js'
import { DECODERS } from '../decoders/index.js'
import type { Decoded, Fact, FoundFact, FoundProblem, OutsideId } from '../facts.js'
import { addLeftOut } from '../hooks/activity.store.js'
import { DELETION_CODE, endDataDeletions } from '../inbox/data-deletions.store.js'
import { deleteKept, listWaiting, takeDeliveries, type WaitingDelivery } from '../inbox/inbox.store.js'
import { insertProblems, type ProblemToInsert } from '../sources/problems.store.js'
import { findDoubts } from './claims.js'

export type TurnContext = Pick<Context, 'database' | 'clock' | 'config' | 'log' | 'metrics'>

/** Deliveries of an organization that were read, and not taken yet. */
export interface Batch {
  organizationId: string
  deliveries: readonly ReadDelivery[]
  /** The number of the last one. */
  last: number | undefined
  /** More may wait behind them. */
  isFull: boolean
}

interface ReadDelivery extends WaitingDelivery {
  /** Undefined where the decoder failed. */
  decoded: Decoded | undefined
}

/** The result of applying a batch. */
export interface Turn {
  /** Deliveries that were applied. */
  applied: number
  /** Values are left to be computed again. */
  isRevaluing: boolean
}

/** The size of a batch: rows and bytes of one transaction. The embedded engine works on the thread that answers requests. */
const SIZES = {
  postgres: { rows: 500, bytes: 2_000_000 },
  pglite: { rows: 100, bytes: 250_000 },
} as const satisfies Record<Database['engine'], { rows: number; bytes: number }>
const ANSWER_MAX = { conversations: 10_000, purchases: 20_000 }
/** Decoding goes on for so long before requests have their turn. */
const DECODE_MS = 5

const DATA_REQUEST = 'customers/data_request'
const NOT_KEPT = 'The delivery names a person who was forgotten, so its body is not kept, and it cannot be retried.'
const NOTHING: Turn = { applied: 0, isRevaluing: false }

/** Reads and decodes the next deliveries of an organization behind the mark. It takes nothing, and may be done ahead. */
export async function readBatch(
  { database, log }: TurnContext,
  organizationId: string,
  mark: number,
  sizes: { rows: number; bytes: number } = SIZES[database.engine],
): Promise<Batch> {
  const waiting = await listWaiting(database, organizationId, { mark, ...sizes })
  const deliveries: ReadDelivery[] = []
  let bytes = 0
  let since = performance.now()
  for (const delivery of waiting) {
    bytes += delivery.body.length * 0.75
    deliveries.push({ ...delivery, decoded: decode(delivery, log) })
    if (performance.now() - since < DECODE_MS) continue
    await nextTurn()
    since = performance.now()
  }
  const isFull = waiting.length === sizes.rows || bytes >= sizes.bytes
  return { organizationId, deliveries, last: waiting.at(-1)?.delivery_id, isFull }
}

function decode(delivery: WaitingDelivery, log: TurnContext['log']): Decoded | undefined {
  const { topic, headers, type, value_from: valueFrom } = delivery
  const body = Buffer.from(delivery.body, 'base64')
  try {
    return DECODERS[type]({ topic, headers, body, receivedAt: delivery.received_at.getTime() }, { valueFrom })
  } catch (error) {
    log.error({ err: error, sourceId: delivery.source_id }, 'a delivery could not be decoded')
    return undefined
  }
}

/**
 * Takes and applies the deliveries of a batch in one transaction. When that fails, parts are tried, until the delivery that
 * fails is a problem by itself. An organization that another worker has is left to it.
 */
export async function applyBatch(context: TurnContext, batch: Batch): Promise<Turn> {
  const { database, log, metrics } = context
  const { organizationId, deliveries } = batch
  const count = ({ problems, ...turn }: Turn & { problems: number }): Turn => {
    metrics.countDeliveries('applied', turn.applied)
    metrics.countDeliveries('problem', problems)
    return turn
  }
  try {
    return count(await database.transaction((tx) => applyIn(tx, context, batch)))
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || deliveries.length === 0) throw error
    if (deliveries.length > 1) return await applyInParts(context, batch)
    log.error({ err: error, organizationId }, 'a delivery could not be applied and is a problem of its source')
    const failed = { ...batch, deliveries: [{ ...deliveries[0]!, decoded: undefined }] }
    return count(await database.transaction((tx) => applyIn(tx, context, failed)))
  }
}

async function applyInParts(context: TurnContext, batch: Batch): Promise<Turn> {
  const size = Math.ceil(batch.deliveries.length / 4)
  let whole = NOTHING
  for (let from = 0; from < batch.deliveries.length; from += size) {
    const part = await applyBatch(context, { ...batch, deliveries: batch.deliveries.slice(from, from + size) })
    whole = { applied: whole.applied + part.applied, isRevaluing: part.isRevaluing }
  }
  return whole
}

const FAILED = 'The delivery could not be applied for a reason of the server: its log tells more. Retry it later.'

async function applyIn(
  tx: Queryable,
  context: TurnContext,
  { organizationId, deliveries: read }: Batch,
): Promise<Turn & { problems: number }> {
  const live = await lockLiveAudience(tx, organizationId, 'skip')
  if (live === undefined) return { ...NOTHING, problems: 0 }
  await planByKeys(tx)
  const isRevaluing = await revalueSome(tx, organizationId, live)
  const now = new Date(context.clock.now())
  const keep = context.config.intake.keepMs > 0 ? { at: now } : undefined
  const taken = new Set(
    await takeDeliveries(
      tx,
      organizationId,
      read.map(({ delivery_id }) => delivery_id),
      keep,
    ),
  )
  const deliveries = read.filter(({ delivery_id }) => taken.has(delivery_id))
  const problems: ProblemToInsert[] = []
  const ofForgotten = new Set<WaitingDelivery>()
  const untrusted = new Map<string, number>()
  for (const sourceId of new Set(deliveries.map(({ source_id }) => source_id))) {
    const own = deliveries.filter(({ source_id }) => source_id === sourceId)
    const onUntrusted = () => void untrusted.set(sourceId, (untrusted.get(sourceId) ?? 0) + 1)
    const source = { sourceId, trust: own[0]!.trust, onUntrusted }
    problems.push(...(await applyOfSource(tx, { organizationId, live, now, ofForgotten, ...source }, own)))
  }
  await insertProblems(tx, organizationId, problems)
  await addLeftOut(tx, organizationId, untrusted)
  await deleteKept(
    tx,
    organizationId,
    [...ofForgotten].map(({ delivery_id }) => delivery_id),
  )
  return { applied: deliveries.length, isRevaluing, problems: problems.length }
}

interface Scope {
  organizationId: string
  sourceId: string
  live: LiveAudience
  now: Date
  /** Takes the deliveries that name forgotten people: their bodies are not kept. */
  ofForgotten: Set<WaitingDelivery>
  trust: SourceTrust
  /** Called for what is left out because the source is not trusted with it. */
  onUntrusted: () => void
}

/** Facts and problems of the deliveries of one source, each with the delivery that it is of. */
async function applyOfSource(
  tx: Queryable,
  scope: Scope,
  deliveries: readonly ReadDelivery[],
): Promise<ProblemToInsert[]> {
  const facts: FoundFact[] = []
  const doubts = await findDoubts(tx, scope, deliveries)
  // Items are told apart by their delivery while facts of several are applied together.
  const found: FoundOfDelivery[][] = deliveries.map((delivery, index) => {
    const { decoded } = delivery
    const doubt = doubts.get(delivery)
    if (doubt !== undefined) return [{ item: '', reason: doubt }]
    if (decoded === undefined) return [{ item: '', reason: FAILED }]
    for (const { item, fact } of decoded.facts) facts.push({ item: `${index} ${item}`, fact })
    if (scope.trust === 'full') return [...decoded.problems]
    // Anyone who has read the key could hide real problems among theirs.
    decoded.problems.forEach(scope.onUntrusted)
    return []
  })
  const leftOut = new Set<string>()
  const refused: FoundOfDelivery[] = [
    ...(await applyFacts(tx, { ...scope, leftOut }, facts)),
    ...(await applyOtherFacts(tx, { ...scope, leftOut }, facts)),
  ]
  const indexOf = (item: string): number => Number(item.split(' ', 1)[0])
  for (const item of leftOut) scope.ofForgotten.add(deliveries[indexOf(item)]!)
  for (const { item, fact } of facts) {
    if (fact.type === 'forget' || fact.type === 'forgetSource') scope.ofForgotten.add(deliveries[indexOf(item)]!)
  }
  for (const problem of refused) {
    const [index, ...rest] = problem.item.split(' ')
    found[Number(index)]!.push({ ...problem, item: rest.join(' ') })
  }
  const codes = deliveries.flatMap(({ headers }, index) =>
    found[index]!.length === 0 ? (headers[DELETION_CODE] ?? []) : [],
  )
  await endDataDeletions(tx, [scope.organizationId, scope.sourceId], codes, scope.now)
  return deliveries.flatMap((delivery, index) => {
    const problems = toProblems(delivery, found[index]!)
    return scope.ofForgotten.has(delivery) ? problems.map(withoutBody) : problems
  })
}

/** Someone who asks for their data is named by the body alone, and is to be told that nothing is known. */
const withoutBody = (problem: ProblemToInsert): ProblemToInsert =>
  problem.topic === DATA_REQUEST
    ? problem
    : { ...problem, reason: `${problem.reason} ${NOT_KEPT}`, body: Buffer.alloc(0) }

type FoundOfDelivery = FoundProblem & Pick<ProblemToInsert, 'answer'>

/** The items that are told beside the first one. */
const TOLD_ITEMS = 20

/**
 * The items of a delivery that have problems are one problem: its body is stored once, and a retry, which is of the whole
 * delivery, leaves no problem of another item behind. An answer to a person is by itself.
 */
function toProblems(delivery: WaitingDelivery, found: readonly FoundOfDelivery[]): ProblemToInsert[] {
  const answers = found.filter(({ answer }) => answer !== undefined)
  const [first, ...others] = found.filter(({ answer }) => answer === undefined)
  if (first === undefined) return answers.map((answer) => toProblem(delivery, answer))
  const told = others.slice(0, TOLD_ITEMS).map(({ item, reason }) => ` ${item}: ${reason}`)
  const more = others.length > TOLD_ITEMS ? ' …' : ''
  const reason = told.length === 0 ? first.reason : `${first.reason} ${others.length} more:${told.join('')}${more}`
  return [{ ...first, reason }, ...answers].map((problem) => toProblem(delivery, problem))
}

/** Its time is that of the delivery: events that have no time of their own get the same one when it is retried. */
const toProblem = (delivery: WaitingDelivery, { item, reason, answer }: FoundOfDelivery): ProblemToInsert => ({
  problemId: newId('prb'),
  sourceId: delivery.source_id,
  at: delivery.received_at,
  item,
  reason,
  topic: delivery.topic,
  headers: delivery.headers,
  body: Buffer.from(delivery.body, 'base64'),
  answer,
})

const isOf =
  <T extends Fact['type']>(type: T) =>
  (found: FoundFact): found is FoundFact & { fact: Extract<Fact, { type: T }> } =>
    found.fact.type === type

/** Applies what is not of the audience alone: comments, requests for data, and what is to be forgotten. */
async function applyOtherFacts(
  tx: Queryable,
  scope: Scope & { leftOut: ReadonlySet<string> },
  facts: readonly FoundFact[],
): Promise<(FoundProblem & Pick<ProblemToInsert, 'answer'>)[]> {
  const { organizationId, sourceId, now, live, leftOut } = scope
  const problems: (FoundProblem & Pick<ProblemToInsert, 'answer'>)[] = []
  const comments = facts.filter(isOf('comment')).filter(({ item }) => !leftOut.has(item))
  const unknown = await insertIncomingComments(
    tx,
    organizationId,
    comments.map(({ fact }) => fact),
    now,
  )
  for (const { item, fact } of comments) {
    if (!unknown.has(fact.channelId)) continue
    problems.push({ item, reason: `The organization has no channel ${fact.channelId}: create it, and retry.` })
  }
  for (const { item, fact } of facts.filter(isOf('dataRequest'))) {
    problems.push({ item, ...(await answerDataRequest(tx, organizationId, fact.ids)) })
  }
  for (const { fact } of facts.filter(isOf('forget'))) await forgetPeople(tx, organizationId, fact.ids, now)
  if (facts.some(isOf('forgetSource'))) {
    const buyers = await deletePurchasesOfSource(tx, organizationId, sourceId)
    const people = await findPeopleOf(tx, organizationId, buyers as OutsideId[])
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

/** A person asked for their data: a human answers, with the file that is made here. */
async function answerDataRequest(
  tx: Queryable,
  organizationId: string,
  ids: readonly OutsideId[],
): Promise<{ reason: string } & Pick<ProblemToInsert, 'answer'>> {
  const people = await findPeopleOf(tx, organizationId, ids)
  const own = ids.find(({ kind }) => kind === 'userId')?.id
  const cuid = [...people.values()][0] ?? own
  const answer =
    cuid === undefined
      ? await findDetailsOfIds(tx, organizationId, ids, ANSWER_MAX)
      : await findPersonDetails(tx, organizationId, cuid, ANSWER_MAX)
  if (answer === undefined) {
    return {
      reason: 'A person asks for their data, and nothing is known of them here: tell them so, and dismiss this.',
    }
  }
  const { purchases, purchasesTotal, conversations, conversationsTotal } = answer
  const isAll = purchases.length === purchasesTotal && conversations.length === conversationsTotal
  const told = isAll
    ? ''
    : ` It holds ${purchases.length} of ${purchasesTotal} purchases and ${conversations.length} of ${conversationsTotal} conversations: the rest is in the database alone.`
  return {
    reason: `A person asks for their data: give them the file that is with this, and dismiss it.${told}`,
    answer,
  }
}
