/**
 * Measures signed pages of GET /vip-users per second, 50 people each, over 32 connections, beside 1,000 events a second
 * that change the lists of 100 channels, against the same reads without events. Calm and busy rounds alternate. The
 * readers read all channels in turn and run in their own process.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { askLoad, type Engine, median, start } from '../shared.js'
import { listPathOf, newOrders, readWaiting, startStream, untilApplied } from './events.js'
import { QUICK, report } from './options.js'
import { type Processes, USUAL, withStage } from './stage.js'

const CONNECTIONS = 32
const ROUNDS = QUICK ? 3 : 7
const ROUND_MS = QUICK ? 2_000 : 5_000
/** A stream runs this long before its round begins. */
const WARM_UP_MS = 1_000
const EVENTS_PER_SECOND = 1_000
/** @segment/analytics-node batches this many by default. */
const BATCH = 15
const GOAL = { least: 0.75 }

export const measureReads = (engine: Engine): Promise<void> => measure(engine, 'reads', 'one')
export const measureReadsOfFleet = (engine: Engine): Promise<void> => measure(engine, 'fleet-reads', 'two')

const measure = (engine: Engine, part: string, processes: Processes): Promise<void> =>
  withStage(
    engine,
    'reads',
    USUAL,
    async (stage) => {
      const load = start('programs/load.ts')
      const requests = stage.channelIds.map((_, channel) => ({ path: listPathOf(stage, channel) }))
      const order = {
        port: stage.server.port,
        requests,
        connections: CONNECTIONS,
        headers: {},
        key: stage.key,
        status: 200,
      }
      const read = async (ms: number): Promise<number> => {
        const result = await askLoad(load, { ...order, ms })
        return result.requests / result.seconds
      }
      const next = newOrders(stage)
      await read(WARM_UP_MS)
      const rates = { calm: [] as number[], busy: [] as number[], events: [] as number[], waiting: [] as number[] }
      for (let round = 0; round < ROUNDS; round++) {
        rates.calm.push(await read(ROUND_MS))
        const stream = startStream(stage, { eventsPerSecond: EVENTS_PER_SECOND, batch: BATCH, next })
        await wait(WARM_UP_MS)
        const [sentBefore, startedAt] = [stream.sent(), performance.now()]
        rates.busy.push(await read(ROUND_MS))
        rates.events.push(((stream.sent() - sentBefore) / (performance.now() - startedAt)) * 1000)
        rates.waiting.push(await readWaiting(stage))
        await stream.end()
        await untilApplied(stage)
      }
      const ratio = median(rates.busy.map((rate, round) => rate / rates.calm[round]!))
      report(
        part,
        `${ratio.toFixed(2)} of the calm rate`,
        [ratio, GOAL],
        `${Math.round(median(rates.calm))} pages/s calm, ${Math.round(median(rates.busy))} beside ${Math.round(median(rates.events))} events/s in batches of ${BATCH}; ${median(rates.waiting)} deliveries waiting at the end of a round.`,
      )
    },
    processes,
  )
