import { lockLiveAudience } from '../../audience/live/live-audiences.store.js'
import { newId } from '../../lib/ids.js'
import type { Liveness } from '../../work/liveness.js'
import { holdWaiting, takeDeliveries } from '../inbox/inbox.store.js'
import type { TurnContext } from './turn.js'
import {
  clearAttempt,
  type Doubt,
  deleteAttempts,
  deleteAttemptsOf,
  findLastSuspect,
  insertAttempt,
  insertProblemOfDelivery,
  listDoubts,
  nameNextDelivery,
} from './worker.store.js'

/**
 * Stores what this worker is about to do before it does it (docs/decisions/intake.md). In ordinary work that is one row per
 * organization, written once. After a worker died, its organizations are processed again one delivery at a time, and each
 * delivery is recorded before it is read. A delivery that is recorded when a worker dies is set aside as a problem.
 */
export interface Attempts {
  /**
   * Sets aside the deliveries that other workers died over. Returns the organizations in which a worker died, or may have,
   * with the last delivery to process separately.
   */
  look(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Records that deliveries of the organization are being processed. */
  begin(organizationId: string): Promise<void>
  /** Records the next delivery of a range that no other worker has recorded, and returns it. */
  beginNext(organizationId: string, range: { after: number; until: number }): Promise<number | undefined>
  /** Records that the delivery is done. */
  end(organizationId: string): Promise<void>
  /**
   * Records that all suspects of the organization were processed. Returns false if a delivery is left that another worker
   * has recorded.
   */
  clear(organizationId: string): boolean
  /** Records that this worker stops, so that it does not count as dead. */
  stop(): Promise<void>
}

/** Up to two batches are processed at once, and later numbers may be committed before earlier ones. */
const SUSPECTS = { postgres: 1_500, pglite: 300 } as const

const SET_ASIDE =
  'The server stopped twice while it read or applied this delivery, so the delivery was set aside. Check its body before you retry it.'

export function createAttempts(context: TurnContext, liveness: Liveness): Attempts {
  const { database } = context
  let holder: string | undefined
  /** Organizations with a row of the holder. */
  const begun = new Set<string>()
  /** Attempts of others, by organization and holder, whose suspects this worker has processed. */
  const cleared = new Set<string>()
  const keyOf = ({ organization_id, holder }: Doubt): string => `${organization_id} ${holder}`
  let doubts: Doubt[] = []

  async function requireHolder(): Promise<string> {
    const id = await liveness.requireId()
    if (id !== holder) begun.clear()
    holder = id
    return id
  }

  /** Deletes a row that needs no more attention, and sets its delivery aside if it has one. */
  async function settle(doubt: Doubt): Promise<void> {
    const { organization_id: organizationId, holder: dead, delivery_id: deliveryId } = doubt
    if (deliveryId !== null) await setAside(context, organizationId, deliveryId)
    await deleteAttempts(database, organizationId, [dead])
    cleared.delete(keyOf(doubt))
  }

  return {
    async look(organizationIds) {
      const withWork = new Set(organizationIds)
      const suspects = new Map<string, number>()
      doubts = await listDoubts(database, await requireHolder(), liveness.living())
      for (const doubt of doubts) {
        const { organization_id: organizationId, delivery_id: deliveryId, is_dead: isDead } = doubt
        const isOver = deliveryId !== null || cleared.has(keyOf(doubt)) || !withWork.has(organizationId)
        if (isDead && isOver) await settle(doubt)
        else if (withWork.has(organizationId) && !suspects.has(organizationId) && !cleared.has(keyOf(doubt))) {
          const last = await findLastSuspect(database, organizationId, SUSPECTS[database.engine])
          if (last !== undefined) suspects.set(organizationId, last)
        }
      }
      return suspects
    },
    async begin(organizationId) {
      const id = await requireHolder()
      if (begun.has(organizationId)) return
      await insertAttempt(database, organizationId, id)
      begun.add(organizationId)
    },
    async beginNext(organizationId, range) {
      const id = await requireHolder()
      begun.add(organizationId)
      return await nameNextDelivery(database, organizationId, { holder: id, ...range })
    },
    async end(organizationId) {
      await clearAttempt(database, organizationId, await requireHolder())
    },
    clear(organizationId) {
      const own = doubts.filter(({ organization_id }) => organization_id === organizationId)
      for (const doubt of own) if (doubt.delivery_id === null) cleared.add(keyOf(doubt))
      return own.every(({ delivery_id }) => delivery_id === null)
    },
    async stop() {
      if (holder !== undefined) await deleteAttemptsOf(database, holder)
      await liveness.end()
    },
  }
}

async function setAside(context: TurnContext, organizationId: string, deliveryId: number): Promise<void> {
  const { database, clock, config, log, metrics } = context
  const problemId = newId('prb')
  const keep = config.intake.keepMs > 0 ? { at: new Date(clock.now()) } : undefined
  const moved = await database.transaction(async (tx) => {
    const live = await lockLiveAudience(tx, organizationId)
    if (live === undefined) return undefined
    await holdWaiting(tx, organizationId, [deliveryId])
    const inserted = await insertProblemOfDelivery(tx, organizationId, { deliveryId, problemId, reason: SET_ASIDE })
    await takeDeliveries(tx, organizationId, [deliveryId], keep)
    return inserted
  })
  if (moved === undefined) return
  metrics.countDeliveries('problem')
  const { source_id: sourceId } = moved
  log.error(
    { organizationId, sourceId, deliveryId, problemId },
    'a delivery was set aside as a problem of its source: this service stopped twice while it was read or applied',
  )
}
