/**
 * Measures the time from a 200 until GET /vip-users shows the purchase, beside events at half of the load that must be
 * applied.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../shared.js'
import { appliedRateOf, EVENTS_A_BATCH, newOrders, readWaiting, startStream, timeUntilVisible } from './events.js'
import { QUICK, report } from './options.js'
import { USUAL, withStage } from './stage.js'

const PROBES = QUICK ? 20 : 100
const PROBE_EVERY_MS = 300
/** Half of the goal of `applied`, or half of the measured rate if that is less. */
const EVENTS_PER_SECOND: Record<Engine, number> = { PostgreSQL: 5_000, embedded: 2_500 }
const GOALS = { p50Ms: { most: 300 }, p99Ms: { most: 1_500 } }

export const measureVisible = (engine: Engine): Promise<void> =>
  withStage(engine, 'visible', USUAL, async (stage) => {
    const eventsPerSecond = Math.min((await appliedRateOf(stage)) / 2, EVENTS_PER_SECOND[engine])
    const startedAt = performance.now()
    const stream = startStream(stage, { eventsPerSecond, batch: EVENTS_A_BATCH, next: newOrders(stage) })
    const latencies: number[] = []
    for (let probe = 0; probe < PROBES; probe++) {
      await wait(PROBE_EVERY_MS)
      latencies.push(await timeUntilVisible(stage, (probe * 37) % stage.size.channels))
    }
    const sentRate = (stream.sent() / (performance.now() - startedAt)) * 1000
    const waiting = await readWaiting(stage)
    await stream.end()
    const sorted = latencies.toSorted((a, b) => a - b)
    const quantile = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1]!)
    const [p50Ms, p99Ms] = [quantile(0.5), quantile(0.99)]
    const details = `Beside ${Math.round(sentRate)} events/s in batches of ${EVENTS_A_BATCH}; ${PROBES} probes; ${waiting} deliveries waiting at the end.`
    report('visible', `p50 ${p50Ms} ms`, [p50Ms, GOALS.p50Ms], details)
    report('visible', `p99 ${p99Ms} ms`, [p99Ms, GOALS.p99Ms], details)
  })
