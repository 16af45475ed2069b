/** Events of made-up people, and two ways to send them: as fast as the service accepts them, or at a steady rate. */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Engine, expectStatus, median, send, signedHeaders } from '../shared.js'
import { QUICK } from './options.js'
import type { Stage } from './stage.js'

/** The ids of one run differ from those of every other run. */
const RUN = randomBytes(4).toString('hex')
export const EVENTS_A_BATCH = 100
const BURST_EVENTS = QUICK ? 10_000 : 40_000
const BURST_ROUNDS = 3
/** Requests with events that run at the same time. */
const SENDERS = 8
/** This is less than the number of connections, so that probes do not wait for one. */
const STREAM_REQUESTS_MAX = 16
const POLL_MS = 50
/** The orders of each person, if their number must not grow. */
const ORDERS_EACH = QUICK ? 1 : 5
/** This number shares no factors with the number of orders, so that consecutive orders are of people in many channels. */
const STRIDE = 7_919

let orders = 0

/** Makes the event of an order. The message and the order get new ids unless an order is named. */
export function orderOf(person: number, orderId: number | string = `n${orders + 1}`) {
  orders += 1
  return {
    ...{ type: 'track', event: 'Order Completed', userId: `cu_${person}`, messageId: `m${orders}-${RUN}` },
    timestamp: new Date().toISOString(),
    properties: { order_id: `${orderId}-${RUN}`, total: 1 + (orders % 1_000) / 4, currency: 'EUR' },
  }
}

type NextEvent = () => object

export const anyoneOf = ({ people }: Stage): number => 1 + Math.floor(Math.random() * people)

/** Each event is a new order. */
export const newOrders =
  (stage: Stage): NextEvent =>
  () =>
    orderOf(anyoneOf(stage))

/**
 * Each event is the next version of one of a few orders per person. A person's history does not grow, so later minutes
 * can be compared with earlier ones.
 */
export function changedOrders({ people }: Stage): NextEvent & { all: number } {
  const all = people * ORDERS_EACH
  let number = 0
  const next = (): object => {
    const order = (number++ * STRIDE) % all
    return orderOf(1 + (order % people), order)
  }
  return Object.assign(next, { all })
}

export const writeKeyHeader = ({ writeKey }: Stage): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
})

async function post(stage: Stage, path: string, body: object): Promise<void> {
  const headers = { ...writeKeyHeader(stage), 'content-type': 'application/json' }
  expectStatus(await send(stage.server, path, { method: 'POST', headers, body: JSON.stringify(body) }), 200)
}

const batchOf = (events: number, next: NextEvent): { batch: object[] } => ({
  batch: Array.from({ length: events }, next),
})

/** Deliveries that were answered but not yet applied. */
export async function readWaiting({ operator, organizationId, sourceId }: Stage): Promise<number> {
  return (await operator.call('getSource', { organizationId, sourceId })).waiting
}

export async function untilApplied(stage: Stage): Promise<void> {
  while ((await readWaiting(stage)) > 0) await wait(POLL_MS)
}

/**
 * Sends events as fast as the service accepts them. Returns events per second, from the first one sent until all are
 * applied.
 */
export async function burst(
  stage: Stage,
  next: NextEvent,
  events: number = BURST_EVENTS,
  applied: () => Promise<void> = () => untilApplied(stage),
): Promise<number> {
  const batches = Array.from({ length: events / EVENTS_A_BATCH }, () => batchOf(EVENTS_A_BATCH, next))
  const startedAt = performance.now()
  const sendNext = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop())
      await post(stage, '/ingest/v1/batch', batch)
  }
  await Promise.all(Array.from({ length: SENDERS }, sendNext))
  await applied()
  return (events / (performance.now() - startedAt)) * 1000
}

/** Returns the rates of several bursts. */
export async function bursts(
  stage: Stage,
  next: NextEvent = newOrders(stage),
  applied?: () => Promise<void>,
): Promise<number[]> {
  const rates: number[] = []
  for (let round = 0; round < BURST_ROUNDS; round++) rates.push(await burst(stage, next, BURST_EVENTS, applied))
  return rates
}

/** Events applied per second by engine, from the part that measured them first in this run. */
const appliedRates = new Map<Engine, number>()

export const noteAppliedRate = (engine: Engine, rate: number): void => void appliedRates.set(engine, rate)

/** Measures the rate unless this run has done so. */
export async function appliedRateOf(stage: Stage): Promise<number> {
  const rate = appliedRates.get(stage.engine) ?? median(await bursts(stage))
  noteAppliedRate(stage.engine, rate)
  return rate
}

export interface Stream {
  /** The number of events answered so far. */
  sent(): number
  /** Ends the stream. Throws if an event was refused. */
  end(): Promise<void>
}

/** Sends events in batches at a steady rate, or slower if the service cannot keep up. */
export function startStream(
  stage: Stage,
  { eventsPerSecond, batch, next }: { eventsPerSecond: number; batch: number; next: NextEvent },
): Stream {
  const everyMs = (batch / eventsPerSecond) * 1000
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let isEnded = false
  let failure: unknown
  const run = async (): Promise<void> => {
    for (let dueAt = performance.now(); !isEnded && failure === undefined; dueAt += everyMs) {
      if (dueAt > performance.now()) await wait(dueAt - performance.now())
      if (underWay.size >= STREAM_REQUESTS_MAX) await Promise.race(underWay)
      const request = post(stage, '/ingest/v1/batch', batchOf(batch, next))
        .then(() => {
          sent += batch
        })
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(request))
      underWay.add(request)
    }
    await Promise.all(underWay)
  }
  const running = run()
  return {
    sent: () => sent,
    async end() {
      isEnded = true
      await running
      if (failure !== undefined) throw failure
    },
  }
}

/** A probe's purchase is larger than all others, so that its person is on the first page. */
const PROBE_TOTAL = 1_000_000
/** A probe is later than the events of a stream, so that the page shows that it was applied. */
const PROBE_LEAD_MS = 60_000
const PROBE_POLL_MS = 5

/** Sends one event of a channel's first person. Returns the milliseconds from its 200 until GET /vip-users shows it. */
export async function timeUntilVisible(stage: Stage, channel: number): Promise<number> {
  const person = channel * stage.size.conversations + 1
  const order = orderOf(person)
  const boughtAt = Date.now() + PROBE_LEAD_MS
  const properties = { ...order.properties, total: PROBE_TOTAL }
  await post(stage, '/ingest/t', { ...order, timestamp: new Date(boughtAt).toISOString(), properties })
  const answeredAt = performance.now()
  while ((await readLastPurchase(stage, channel, `cu_${person}`)) !== boughtAt) await wait(PROBE_POLL_MS)
  return performance.now() - answeredAt
}

async function readLastPurchase(stage: Stage, channel: number, cuid: string): Promise<number | undefined> {
  const answer = await send(stage.server, listPathOf(stage, channel), { headers: signedHeaders(stage.key) })
  const { items } = JSON.parse(expectStatus(answer, 200).body.toString()) as {
    items: { cuid: string; lastPurchaseTimestamp?: number }[]
  }
  return items.find((item) => item.cuid === cuid)?.lastPurchaseTimestamp
}

/** The path of the first page of a channel's list, with 50 people. */
export const listPathOf = ({ workspaceId, channelIds }: Stage, channel: number): string =>
  `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelIds[channel]}&scope=all`
