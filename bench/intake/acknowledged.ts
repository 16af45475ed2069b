/**
 * Measures single events answered 200 per second over 64 connections, against a bare node:http server with one committed
 * insert each. Both take turns, and the result is the median of the ratios. The bare server applies nothing, like a
 * service process that only answers requests; the deployed service also applies what it has answered.
 */
import { askLoad, type Engine, median, newDatabase, type Server, start, startServer } from '../shared.js'
import { anyoneOf, orderOf, readWaiting, untilApplied, writeKeyHeader } from './events.js'
import { QUICK, report } from './options.js'
import { type Processes, USUAL, withStage } from './stage.js'

const CONNECTIONS = 64
const ROUNDS = QUICK ? 3 : 5
const ROUND_MS = QUICK ? 1_000 : 3_000
const BODIES = 1_000
const GOAL = { least: 1 }

const DOES: Record<Processes, string> = {
  one: 'by a process that applies them too',
  two: 'while another process applies them',
  api: 'by a process that applies nothing',
}

export const measureAcknowledged = (engine: Engine): Promise<void> => measure(engine, 'acknowledged', 'one')
export const measureAcknowledgedOnly = (engine: Engine): Promise<void> => measure(engine, 'acknowledged-only', 'api')
export const measureAcknowledgedOfFleet = (engine: Engine): Promise<void> =>
  measure(engine, 'fleet-acknowledged', 'two')

const measure = (engine: Engine, part: string, processes: Processes): Promise<void> =>
  withStage(
    engine,
    'acknowledged',
    USUAL,
    async (stage) => {
      const bare = await startServer('programs/bare-inbox.ts', await newDatabase(engine, 'bare_inbox'))
      const load = start('programs/load.ts')
      // The load replaces {n} in a body with a number that no other request has.
      const requests = Array.from({ length: BODIES }, () => {
        const order = orderOf(anyoneOf(stage), 'load{n}')
        return { path: '/ingest/t', body: JSON.stringify({ ...order, messageId: `load{n}-${order.messageId}` }) }
      })
      const rateOf = async ({ port }: Server): Promise<number> => {
        const order = { port, method: 'POST', requests, connections: CONNECTIONS, ms: ROUND_MS, status: 200 }
        const result = await askLoad(load, { ...order, headers: writeKeyHeader(stage), key: undefined })
        return result.requests / result.seconds
      }
      // The first round of each is the slowest and does not count.
      for (const server of [stage.server, bare]) await rateOf(server)
      const rates = { own: [] as number[], bare: [] as number[], waiting: [] as number[] }
      for (let round = 0; round < ROUNDS; round++) {
        if (processes !== 'api') await untilApplied(stage)
        rates.own.push(await rateOf(stage.server))
        rates.waiting.push(await readWaiting(stage))
        if (processes !== 'api') await untilApplied(stage)
        rates.bare.push(await rateOf(bare))
      }
      await bare.stop()
      const ratio = median(rates.own.map((rate, round) => rate / rates.bare[round]!))
      report(
        part,
        `${ratio.toFixed(2)} of a bare server`,
        [ratio, GOAL],
        `${Math.round(median(rates.own))} events/s ${DOES[processes]}, ${Math.round(median(rates.bare))} bare; ${median(rates.waiting)} events waiting at the end of a round, of ${Math.round((median(rates.own) * ROUND_MS) / 1000)}.`,
      )
    },
    processes,
  )
