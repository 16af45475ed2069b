import type { Queryable } from '../database/database.js'

/** One organization's use of a key. */
export interface KeyUse {
  organizationId: string
  key: string
  bodyHash: string
  now: Date
  /** Uses at or before this time have expired. */
  forgetUntil: Date
}

export interface FirstUse {
  body_hash: string
  answer: unknown
  /** The channels of each check that the call passed. */
  checked: string[][]
}

/**
 * Claims the key, in a transaction. Returns the first use if there was one; undefined if this is the first. If two calls
 * arrive at once, the second waits here until the first ends, and becomes the first if that one failed.
 */
export async function claimIdempotencyKey(
  tx: Queryable,
  { organizationId, key, bodyHash, now, forgetUntil }: KeyUse,
): Promise<FirstUse | undefined> {
  const { rowCount } = await tx.query(
    `insert into idempotency_keys (organization_id, idempotency_key, body_hash, created_at) values ($1, $2, $3, $4)
         on conflict (organization_id, idempotency_key) do update
        set body_hash = excluded.body_hash, answer = null, checked = null, created_at = excluded.created_at
      where idempotency_keys.created_at <= $5`,
    [organizationId, key, bodyHash, now, forgetUntil],
  )
  if (rowCount === 1) return undefined
  const { rows } = await tx.query<FirstUse>(
    'select body_hash, answer, checked from idempotency_keys where organization_id = $1 and idempotency_key = $2',
    [organizationId, key],
  )
  return rows[0]
}

/** Stores the response for repeated calls, and what to check before repeating it. */
export async function storeAnswer(
  tx: Queryable,
  { organizationId, key }: Pick<KeyUse, 'organizationId' | 'key'>,
  { answer, checked }: { answer: unknown; checked: string[][] },
): Promise<void> {
  await tx.query(
    'update idempotency_keys set answer = $3, checked = $4 where organization_id = $1 and idempotency_key = $2',
    [organizationId, key, JSON.stringify(answer), JSON.stringify(checked)],
  )
}

/** Deletes at most `limit` uses of the organization. */
export async function deleteIdempotencyKeys(
  tx: Queryable,
  organizationId: string,
  limit: number,
): Promise<{ deleted: number }> {
  const { rows } = await tx.query<{ idempotency_key: string }>(
    'select idempotency_key from idempotency_keys where organization_id = $1 order by idempotency_key limit $2',
    [organizationId, limit],
  )
  await tx.query('delete from idempotency_keys where organization_id = $1 and idempotency_key <= $2', [
    organizationId,
    rows.at(-1)?.idempotency_key ?? '',
  ])
  return { deleted: rows.length }
}

/** Deletes up to 100 of the organization's expired uses. Each call adds only one, so they do not accumulate. */
export async function pruneIdempotencyKeys(tx: Queryable, organizationId: string, forgetUntil: Date): Promise<void> {
  await tx.query(
    `delete from idempotency_keys
      where organization_id = $1 and idempotency_key in (
              select idempotency_key from idempotency_keys
               where organization_id = $1 and created_at <= $2
               order by created_at limit 100 for update skip locked)`,
    [organizationId, forgetUntil],
  )
}
