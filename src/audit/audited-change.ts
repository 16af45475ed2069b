import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import { type AuditEntry, type AuditTarget, recordAudit } from './audit.store.js'

/** Writes a change of a target to the audit trail. */
type RecordChange = (type: AuditTarget, id: string, changes?: Record<string, unknown>) => Promise<void>

/**
 * Runs a change in a transaction. `change` gets the transaction, a function that records the change there, and the
 * instant.
 */
export function changeAudited<Result>(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  principal: AuditEntry['principal'],
  operation: string,
  change: (tx: Queryable, record: RecordChange, at: Date) => Promise<Result>,
): Promise<Result> {
  const at = new Date(clock.now())
  return database.transaction((tx) =>
    change(tx, (type, id, changes) => recordAudit(tx, { principal, at, operation, target: { type, id }, changes }), at),
  )
}
