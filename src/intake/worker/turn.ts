import { applyFacts } from '../../audience/live/apply-facts.js'
import { deleteBodiesOf, deletePurchasesOfSource } from '../../audience/live/forget.store.js'
import { forgetPeople } from '../../audience/live/forget-people.js'
import { findPeopleOf, keyOf } from '../../audience/live/ids.store.js'
import { type LiveAudience, lockLiveAudience } from '../../audience/live/live-audiences.store.js'
import { refreshPeople } from '../../audience/live/refresh.store.js'
import { revalueSome } from '../../audience/live/revalue.js'
import { findPersonDetails } from '../../audience/people/person-details.store.js'
import { type Database, DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import type { Context } from '../../http/context.js'
import { newId } from '../../lib/ids.js'
import { DECODERS } from '../decoders/index.js'
import type { Fact, FoundFact, FoundProblem, OutsideId } from '../facts.js'
import { endDeliveries, listWaiting, type WaitingDelivery } from '../inbox/inbox.store.js'
import { insertProblems, type ProblemToInsert } from '../sources/problems.store.js'
import { deleteBodiesOfSource, insertComments, listTypesOfSources, type TypeOfSource } from './worker.store.js'

export type TurnContext = Pick<Context, 'database' | 'clock' | 'config' | 'log' | 'metrics'>

/** The result of a turn of one organization. */
export interface Turn {
  /** Deliveries that were applied. */
  applied: number
  /** The last one that was; undefined where nothing waited. */
  last: number | undefined
  /** More may wait. */
  isMore: boolean
}

/** The size of a turn: rows and bytes of one transaction. The embedded engine works on the thread that answers requests. */
const SIZES = {
  postgres: { rows: 500, bytes: 2_000_000 },
  pglite: { rows: 100, bytes: 250_000 },
} as const satisfies Record<Database['engine'], { rows: number; bytes: number }>
const ANSWER_PURCHASES_MAX = 10_000

const NOTHING: Turn = { applied: 0, last: undefined, isMore: false }

/**
 * Applies the next deliveries of an organization in one transaction, and ends them in it. When that fails, fewer are tried,
 * until the one that fails is a problem by itself. Another worker that has the organization is left to it.
 */
export async function applyNext(
  context: TurnContext,
  organizationId: string,
  mark: number,
  rows: number = SIZES[context.database.engine].rows,
): Promise<Turn> {
  const { database, log } = context
  try {
    return await database.transaction((tx) => turnOf(tx, context, { organizationId, mark, rows }))
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    if (rows > 1) return await applyNext(context, organizationId, mark, Math.ceil(rows / 4))
    log.error({ err: error, organizationId }, 'a delivery could not be applied and is a problem of its source')
    return await database.transaction((tx) => setAside(tx, context, { organizationId, mark }))
  }
}

interface TurnOf {
  organizationId: string
  mark: number
  rows: number
}

async function turnOf(tx: Queryable, context: TurnContext, { organizationId, mark, rows }: TurnOf): Promise<Turn> {
  const live = await lockLiveAudience(tx, organizationId, 'skip')
  if (live === undefined) return NOTHING
  const isRevaluing = await revalueSome(tx, organizationId, live)
  const { bytes } = SIZES[context.database.engine]
  const waiting = await listWaiting(tx, organizationId, { mark, rows, bytes })
  if (waiting.length === 0) return { ...NOTHING, isMore: isRevaluing }
  const now = new Date(context.clock.now())
  const types = await listTypesOfSources(tx, organizationId, [...new Set(waiting.map(({ source_id }) => source_id))])
  const problems: ProblemToInsert[] = []
  const forgotten: Forgotten = { ids: [], sourceIds: [] }
  for (const source of types) {
    const own = waiting.filter(({ source_id }) => source_id === source.source_id)
    problems.push(...(await applyOfSource(tx, { organizationId, live, now, forgotten }, source, own)))
  }
  await insertProblems(tx, organizationId, problems)
  const { keepMs } = context.config.intake
  const ids = waiting.map(({ delivery_id }) => delivery_id)
  await endDeliveries(tx, organizationId, ids, keepMs > 0 ? { at: now } : undefined)
  // The deliveries of this turn name them too, and the request itself does.
  if (forgotten.ids.length > 0) await deleteBodiesOf(tx, organizationId, forgotten.ids)
  for (const sourceId of forgotten.sourceIds) await deleteBodiesOfSource(tx, organizationId, sourceId)
  context.metrics.countDeliveries('applied', waiting.length)
  context.metrics.countDeliveries('problem', problems.length)
  return { applied: waiting.length, last: ids.at(-1), isMore: true }
}

interface Scope {
  organizationId: string
  live: LiveAudience
  now: Date
  forgotten: Forgotten
}

/** People and sources that a turn has forgotten: the bodies that tell of them go when the turn ends. */
interface Forgotten {
  ids: string[]
  sourceIds: string[]
}

/** Facts and problems of the deliveries of one source, each with the delivery that it is of. */
async function applyOfSource(
  tx: Queryable,
  scope: Scope,
  { source_id: sourceId, type, value_from: valueFrom }: TypeOfSource,
  deliveries: readonly WaitingDelivery[],
): Promise<ProblemToInsert[]> {
  const facts: FoundFact[] = []
  const found: FoundOfDelivery[][] = deliveries.map(() => [])
  // Items are told apart by their delivery while facts of several are applied together.
  deliveries.forEach((delivery, index) => {
    const body = Buffer.from(delivery.body, 'base64')
    const { topic, headers } = delivery
    const receivedAt = delivery.received_at.getTime()
    const decoded = DECODERS[type]({ topic, headers, body, receivedAt }, { valueFrom })
    for (const { item, fact } of decoded.facts) facts.push({ item: `${index} ${item}`, fact })
    found[index]!.push(...decoded.problems)
  })
  const refused: FoundOfDelivery[] = [
    ...(await applyFacts(tx, { ...scope, sourceId }, facts)),
    ...(await applyOtherFacts(tx, { ...scope, sourceId }, facts)),
  ]
  for (const problem of refused) {
    const [index, ...rest] = problem.item.split(' ')
    found[Number(index)]!.push({ ...problem, item: rest.join(' ') })
  }
  return deliveries.flatMap((delivery, index) => toProblems(delivery, found[index]!))
}

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
  scope: Scope & { sourceId: string },
  facts: readonly FoundFact[],
): Promise<(FoundProblem & Pick<ProblemToInsert, 'answer'>)[]> {
  const { organizationId, sourceId, now, live, forgotten } = scope
  const problems: (FoundProblem & Pick<ProblemToInsert, 'answer'>)[] = []
  const comments = facts.filter(isOf('comment'))
  const unknown = await insertComments(
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
  for (const { fact } of facts.filter(isOf('forget'))) {
    const { ids } = await forgetPeople(tx, organizationId, fact.ids, now)
    forgotten.ids.push(...ids.map(({ id }) => id))
  }
  if (facts.some(isOf('forgetSource'))) {
    const buyers = await deletePurchasesOfSource(tx, organizationId, sourceId)
    const people = await findPeopleOf(tx, organizationId, buyers as OutsideId[])
    await refreshPeople(
      tx,
      organizationId,
      live,
      buyers.flatMap((buyer) => people.get(keyOf(buyer)) ?? (buyer.kind === 'userId' ? [buyer.id] : [])),
    )
    forgotten.sourceIds.push(sourceId)
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
    cuid === undefined ? undefined : await findPersonDetails(tx, organizationId, cuid, ANSWER_PURCHASES_MAX)
  return answer === undefined
    ? { reason: 'A person asks for their data, and nothing is known of them here: tell them so, and dismiss this.' }
    : { reason: 'A person asks for their data: give them the file that is with this, and dismiss it.', answer }
}

/** Makes a problem of the next delivery, which fails whatever is tried. */
async function setAside(
  tx: Queryable,
  context: TurnContext,
  { organizationId, mark }: Pick<TurnOf, 'organizationId' | 'mark'>,
): Promise<Turn> {
  const live = await lockLiveAudience(tx, organizationId, 'skip')
  const [delivery] = live === undefined ? [] : await listWaiting(tx, organizationId, { mark, rows: 1, bytes: 1 })
  if (delivery === undefined) return NOTHING
  const reason = 'The delivery could not be applied for a reason of the server: its log tells more. Retry it later.'
  await insertProblems(tx, organizationId, [toProblem(delivery, { item: '', reason })])
  await endDeliveries(tx, organizationId, [delivery.delivery_id], undefined)
  context.metrics.countDeliveries('problem')
  return { applied: 0, last: delivery.delivery_id, isMore: true }
}
