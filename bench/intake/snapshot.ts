/**
 * Measures events applied per second while another transaction has held a snapshot for minutes, so that no deleted
 * delivery and no old row version can be cleaned up, against the rate before. Events keep arriving at half the applied
 * rate, as later versions of the same orders, so that a growing history is not mistaken for the effect of the snapshot.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Engine, median, print } from '../shared.js'
import { burst, bursts, changedOrders, startStream, untilApplied } from './events.js'
import { QUICK, report } from './options.js'
import { type Stage, USUAL, withStage } from './stage.js'

const HOLD_MS = QUICK ? 40_000 : 300_000
/** Batches are small so that many deliveries are deleted. */
const BATCH = 10
const POLL_MS = 50
const GOAL = { least: 0.5 }

export async function measureSnapshot(engine: Engine): Promise<void> {
  if (engine === 'embedded') {
    print(
      'snapshot: not measured. The embedded engine has one connection, so a transaction cannot stay open beside others.\n',
    )
    return
  }
  await withStage(engine, 'snapshot', USUAL, async (stage) => {
    const holder = new pg.Client({ connectionString: stage.env.DATABASE_URL! })
    const observer = new pg.Client({ connectionString: stage.env.DATABASE_URL! })
    await Promise.all([holder.connect(), observer.connect()])
    try {
      await measureHold(stage, holder, observer)
    } finally {
      await Promise.all([holder.end(), observer.end()])
    }
  })
}

async function measureHold(stage: Stage, holder: pg.Client, observer: pg.Client): Promise<void> {
  const next = changedOrders(stage)
  // The first version of each order is an insert, and later ones are updates.
  await burst(stage, next, next.all)
  const measure = async (): Promise<number[]> => {
    const mark = await lastDelivery(observer)
    return await bursts(stage, next, () => untilAppliedSince(observer, stage, mark))
  }
  const before = median(await measure())
  await holder.query('begin isolation level repeatable read')
  await holder.query('select 1 from inbox limit 1')
  const heldAt = performance.now()
  const stream = startStream(stage, { eventsPerSecond: before / 2, batch: BATCH, next })
  await wait(HOLD_MS)
  await stream.end()
  await untilApplied(stage)
  const steady = (stream.sent() / (performance.now() - heldAt)) * 1000
  const rates = await measure()
  // Throws if the snapshot was lost.
  await holder.query('select 1 from inbox limit 1')
  const heldSeconds = Math.round((performance.now() - heldAt) / 1000)
  await holder.query('rollback')
  const ratio = median(rates) / before
  report(
    'snapshot',
    `${ratio.toFixed(2)} of the rate before`,
    [ratio, GOAL],
    `${Math.round(before)} events/s before, ${rates.map(Math.round).join(', ')} under the snapshot; held for ${heldSeconds} s in all, with ${Math.round(steady)} events/s in batches of ${BATCH} until the measurement.`,
  )
}

async function lastDelivery(observer: pg.Client): Promise<string> {
  const { rows } = await observer.query<{ mark: string }>(
    `select last_value::text as mark from pg_sequences where sequencename = 'inbox_delivery_id_seq'`,
  )
  return rows[0]!.mark
}

/**
 * The service counts waiting deliveries by passing the rows that the snapshot keeps. This query starts behind them, so it
 * costs little.
 */
async function untilAppliedSince(observer: pg.Client, { organizationId }: Stage, mark: string): Promise<void> {
  for (;;) {
    const { rows } = await observer.query('select from inbox where organization_id = $1 and delivery_id > $2 limit 1', [
      organizationId,
      mark,
    ])
    if (rows.length === 0) return
    await wait(POLL_MS)
  }
}
