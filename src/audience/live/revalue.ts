import type { Queryable } from '../../database/database.js'
import { type LiveAudience, setRevaluation } from './live-audiences.store.js'
import { listCuidsAfter, refreshPeople } from './refresh.store.js'

const CONVERSATIONS_PER_TURN = 1_000

/**
 * Computes the values of the next people again, as after a change of the currency. The audience must be locked. True while
 * people are left.
 */
export async function revalueSome(tx: Queryable, organizationId: string, live: LiveAudience): Promise<boolean> {
  if (live.revalue_after === null) return false
  const cuids = await listCuidsAfter(tx, organizationId, live.revalue_after, CONVERSATIONS_PER_TURN)
  await refreshPeople(tx, organizationId, live, cuids)
  const last = cuids.at(-1) ?? null
  await setRevaluation(tx, organizationId, last)
  return last !== null
}
