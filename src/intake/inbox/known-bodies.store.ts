import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows } from '../../database/queries.js'

type SourceIds = readonly [organizationId: string, sourceId: string]

export interface KnownBody {
  body_hash: string
  topic: string
}

/** Returns the topics under which a source already sent these bodies. */
export const listKnownBodies = (
  tx: Queryable,
  [organizationId, sourceId]: SourceIds,
  hashes: readonly string[],
): Promise<KnownBody[]> =>
  listRows(
    tx,
    `select body_hash, topic from known_bodies
      where organization_id = $1 and source_id = $2 and body_hash = any($3::text[])`,
    [organizationId, sourceId, hashes],
  )

export async function insertKnownBodies(
  tx: Queryable,
  [organizationId, sourceId]: SourceIds,
  bodies: readonly KnownBody[],
  at: Date,
): Promise<void> {
  if (bodies.length === 0) return
  await tx.query(
    `insert into known_bodies (organization_id, source_id, body_hash, topic, at)
     select $1, $2, body_hash, topic, $5 from unnest($3::text[], $4::text[]) as t (body_hash, topic)
         on conflict do nothing`,
    [organizationId, sourceId, bodies.map(({ body_hash }) => body_hash), bodies.map(({ topic }) => topic), at],
  )
}

/** Returns when the delivery with this key arrived, if it is waiting or kept. */
export async function findArrival(
  tx: Queryable,
  [organizationId, sourceId]: SourceIds,
  key: string,
): Promise<Date | undefined> {
  const row = await findRow<{ received_at: Date }>(
    tx,
    `select received_at from inbox where organization_id = $1 and source_id = $2 and delivery_key = $3
      union all
     select received_at from kept_deliveries where organization_id = $1 and source_id = $2 and delivery_key = $3
      order by received_at limit 1`,
    [organizationId, sourceId, key],
  )
  return row?.received_at
}

/** Remembers which shop a source belongs to, from the first body that says so. */
export const updateShopId = (tx: Queryable, [organizationId, sourceId]: SourceIds, shopId: string): Promise<boolean> =>
  hitsRow(tx, 'update sources set shop_id = $3 where organization_id = $1 and source_id = $2 and shop_id is null', [
    organizationId,
    sourceId,
    shopId,
  ])
