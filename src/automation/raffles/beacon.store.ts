import type { Queryable } from '../../database/database.js'
import { hitsRow, listRows } from '../../database/queries.js'
import type { AutomationPostKey } from '../posts.store.js'
import { raffleKey } from './entrants.store.js'

/** A raffle whose draw waits for the value of a beacon. */
export interface AwaitedBeacon extends AutomationPostKey {
  beacon_round: number
  attempts: number
}

/** The raffles whose values may be asked for now, of any organization. */
export const listAwaitedBeacons = (database: Queryable, now: Date, limit: number): Promise<AwaitedBeacon[]> =>
  listRows(
    database,
    `select organization_id, scheduled_post_id, channel_id, beacon_round, attempts from raffles
      where frozen_at is not null and drawn_at is null and beacon_signature is null and next_attempt_at <= $1
      order by next_attempt_at limit $2`,
    [now, limit],
  )

/** The first value that is stored stays. False where there is one. */
export const storeBeaconValue = (
  database: Queryable,
  raffle: AwaitedBeacon,
  signature: string,
  at: Date,
): Promise<boolean> =>
  hitsRow(
    database,
    `update raffles set beacon_signature = $4, beacon_fetched_at = $5, beacon_problem = null
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and beacon_signature is null
        and frozen_at is not null and drawn_at is null`,
    [...raffleKey(raffle), signature, at],
  )

export async function noteBeaconProblem(
  database: Queryable,
  raffle: AwaitedBeacon,
  problem: string,
  at: Date,
): Promise<void> {
  await database.query(
    `update raffles set beacon_problem = $4, next_attempt_at = $5, attempts = attempts + 1
      where organization_id = $1 and scheduled_post_id = $2 and channel_id = $3 and beacon_signature is null
        and drawn_at is null and attempts = $6`,
    [...raffleKey(raffle), problem, at, raffle.attempts],
  )
}
