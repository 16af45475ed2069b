import type { Queryable } from '../../database/database.js'
import { findRow, setForTransaction } from '../../database/queries.js'

/** An organization that has, or had, a source. */
export interface LiveAudience {
  live_since_ms: number
  /** The cuid after which everyone's values are recomputed; null if nothing needs to be done. */
  revalue_after: string | null
  /** If null, purchases are stored but not counted. */
  currency: string | null
}

/**
 * Locks the people, purchases and values of an organization until the transaction ends. Only one writer at a time, because a
 * purchase and a link of the same id, written concurrently, would miss each other. It must come before every other lock.
 * Returns undefined for an organization that never had a source, and for one being deleted; with `skip` also while another
 * writer has the lock.
 */
export const lockLiveAudience = (
  tx: Queryable,
  organizationId: string,
  mode: 'wait' | 'skip' = 'wait',
): Promise<LiveAudience | undefined> =>
  findRow(
    tx,
    `select l.live_since_ms, l.revalue_after, o.currency
       from live_audiences l join organizations o on o.organization_id = l.organization_id
      where l.organization_id = $1 and o.organization_id = $1 and o.deleted_at is null
        for update of l ${mode === 'skip' ? 'skip locked' : ''} for share of o`,
    [organizationId],
  )

/**
 * Makes the statements of a transaction look rows up by key, whatever the planner knows about the tables: without statistics
 * it compares every row with every other, and keeps that plan.
 */
export const planByKeys = (tx: Queryable): Promise<void> =>
  setForTransaction(tx, {
    ...{ enable_hashjoin: 'off', enable_mergejoin: 'off', enable_seqscan: 'off', enable_bitmapscan: 'off' },
    jit: 'off',
  })

/** Makes the audience live, with its first source. */
export async function insertLiveAudience(tx: Queryable, organizationId: string, now: Date): Promise<void> {
  await tx.query('insert into live_audiences (organization_id, live_since_ms) values ($1, $2) on conflict do nothing', [
    organizationId,
    now.getTime(),
  ])
}

export async function setRevaluation(tx: Queryable, organizationId: string, after: string | null): Promise<void> {
  await tx.query('update live_audiences set revalue_after = $2 where organization_id = $1', [organizationId, after])
}
