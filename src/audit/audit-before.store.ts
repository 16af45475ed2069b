import type { Queryable } from '../database/database.js'
import { listRows } from '../database/queries.js'
import type { AuditRow } from './audit.store.js'
import type { AuditState } from './audit-repeats.js'

/** How many earlier entries of a target are searched. */
const EARLIER_MAX = 20

interface Earlier {
  of: number
  changes: Record<string, unknown> | null
  states: AuditState[] | null
}

/** Returns whether an entry changes settings. Posts are excluded, because they have their own history. */
const changesSettings = ({ operation, changes, target_type: type }: AuditRow): boolean =>
  changes !== null && type !== 'scheduledPost' && /^(update|set)/.test(operation)

/**
 * Returns the values that changed fields had before, by entry, from the latest earlier entry of the same target that
 * has the field. The trail stores only new values, so a field without an earlier entry has no value here.
 */
export async function findValuesBefore(
  database: Queryable,
  organizationId: string,
  entries: readonly AuditRow[],
): Promise<Map<number, Record<string, unknown>>> {
  const asked = entries.filter(changesSettings)
  const found = new Map<number, Record<string, unknown>>()
  if (asked.length === 0) return found
  const earlier = await listRows<Earlier>(
    database,
    `select e.audit_id as of, p.changes, r.states
       from audit_trail e
      cross join lateral (
            select organization_id, audit_id, changes from audit_trail l
             where l.organization_id = $1 and l.target_type = e.target_type and l.target_id = e.target_id
               and l.version is null and l.audit_id < e.audit_id
             order by l.audit_id desc limit ${EARLIER_MAX}) p
       left join audit_repeats r on r.organization_id = $1 and r.audit_id = p.audit_id
      where e.organization_id = $1 and e.audit_id = any($2::bigint[])
      order by e.audit_id, p.audit_id desc`,
    [organizationId, asked.map(({ audit_id }) => audit_id)],
  )
  const byEntry = new Map<number, Earlier[]>()
  for (const row of earlier) byEntry.set(row.of, [...(byEntry.get(row.of) ?? []), row])
  for (const { audit_id: id, at, changes } of asked) {
    const before = Object.keys(changes ?? {}).flatMap((field) => {
      const value = findValue(field, byEntry.get(id) ?? [], at)
      return value === undefined ? [] : [[field, value] as const]
    })
    if (before.length > 0) found.set(id, Object.fromEntries(before))
  }
  return found
}

/** A repeated entry ended in its last state before the given instant. */
function findValue(field: string, earlier: readonly Earlier[], before: Date): unknown {
  for (const { changes, states } of earlier) {
    const state = states?.findLast(({ at }) => new Date(at) <= before)
    const value = state?.changes?.[field] ?? changes?.[field]
    if (value !== undefined) return value
  }
  return undefined
}
