import type { Queryable } from '../../database/database.js'
import { type LiveAudience, setRevaluation } from './live-audiences.store.js'
import { listCuidsAfter, refreshPeople } from './refresh.store.js'

/**
 * Recomputes the values of the next people, as after a change of currency. The audience must be locked. Returns true while
 * people remain.
 */
export async function revalueSome(
  tx: Queryable,
  organizationId: string,
  live: LiveAudience,
  limit: number,
): Promise<boolean> {
  if (live.revalue_after === null) return false
  const cuids = await listCuidsAfter(tx, organizationId, live.revalue_after, limit)
  await refreshPeople(tx, organizationId, live, cuids)
  const last = cuids.at(-1) ?? null
  await setRevaluation(tx, organizationId, last)
  return last !== null
}
