import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import type { Principal } from '../http/principal.js'
import { type AuditTarget, recordAudit } from './audit.store.js'

/** Writes what is changed, and of which thing, into the audit trail. */
type RecordChange = (type: AuditTarget, id: string, changes?: Record<string, unknown>) => Promise<void>

/** Runs the change of a caller in a transaction, with the function that records it in the same transaction. */
export const changeAudited = <Result>(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  principal: Principal,
  operation: string,
  change: (tx: Queryable, record: RecordChange) => Promise<Result>,
): Promise<Result> =>
  database.transaction((tx) =>
    change(tx, (type, id, changes) =>
      recordAudit(tx, { principal, at: new Date(clock.now()), operation, target: { type, id }, changes }),
    ),
  )
