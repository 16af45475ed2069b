/**
 * Measures the service's resident memory under events at half of the applied rate. It is flat if the median of the last
 * third is at most 1.05 times that of the middle third. The events are later versions of the same orders.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Engine, median, residentMib } from '../shared.js'
import { appliedRateOf, burst, changedOrders, EVENTS_A_BATCH, readWaiting, startStream } from './events.js'
import { MINUTES, report } from './options.js'
import { USUAL, withStage } from './stage.js'

const SAMPLE_MS = 10_000
const MS_PER_HOUR = 3_600_000
const GOAL = { most: 1.05 }

interface Sample {
  atMs: number
  mib: number
}

export const measureMemory = (engine: Engine): Promise<void> =>
  withStage(engine, 'memory', USUAL, async (stage) => {
    const eventsPerSecond = (await appliedRateOf(stage)) / 2
    const next = changedOrders(stage)
    await burst(stage, next, next.all)
    const stream = startStream(stage, { eventsPerSecond, batch: EVENTS_A_BATCH, next })
    const samples: Sample[] = []
    const startedAt = performance.now()
    const elapsedMs = (): number => performance.now() - startedAt
    for (let dueAt = SAMPLE_MS; dueAt <= MINUTES * 60_000; dueAt += SAMPLE_MS) {
      await wait(dueAt - elapsedMs())
      samples.push({ atMs: elapsedMs(), mib: residentMib(stage.server.pid) })
    }
    const sentRate = (stream.sent() / elapsedMs()) * 1000
    const waiting = await readWaiting(stage)
    await stream.end()
    const third = Math.floor(samples.length / 3)
    const thirds = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)]
    const [first, middle, last] = thirds.map((some) => median(some.map(({ mib }) => mib))) as [number, number, number]
    const ratio = last / middle
    const slope = slopeOf(samples.slice(third)) * MS_PER_HOUR
    report(
      'memory',
      `the last third uses ${ratio.toFixed(3)} of the middle third`,
      [ratio, GOAL],
      `Medians of the thirds of ${MINUTES} minutes: ${[first, middle, last].map(Math.round).join(', ')} MiB; ${slope.toFixed(1)} MiB an hour after the first third; ${Math.round(sentRate)} events/s in batches of ${EVENTS_A_BATCH}, target ${Math.round(eventsPerSecond)}; ${waiting} deliveries waiting at the end.`,
    )
  })

/** The slope by least squares, in MiB per millisecond. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [at, mib] = [mean(samples.map(({ atMs }) => atMs)), mean(samples.map((sample) => sample.mib))]
  const covariance = mean(samples.map((sample) => (sample.atMs - at) * (sample.mib - mib)))
  return covariance / mean(samples.map(({ atMs }) => (atMs - at) ** 2))
}
