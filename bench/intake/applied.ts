/** Measures events applied per second, in batches of 100, each an order of a different person. */
import { type Engine, median } from '../shared.js'
import { bursts, EVENTS_A_BATCH, noteAppliedRate } from './events.js'
import { type Goal, report } from './options.js'
import { USUAL, withStage } from './stage.js'

const GOALS = { PostgreSQL: { least: 10_000 }, embedded: { least: 5_000 } } as const satisfies Record<Engine, Goal>

export const measureApplied = (engine: Engine): Promise<void> =>
  withStage(engine, 'applied', USUAL, async (stage) => {
    const rates = await bursts(stage)
    const rate = median(rates)
    noteAppliedRate(engine, rate)
    report(
      'applied',
      `${Math.round(rate)} events/s`,
      [rate, GOALS[engine]],
      `Rounds: ${rates.map(Math.round).join(', ')}; batches of ${EVENTS_A_BATCH} events.`,
    )
  })
