import type { Queryable } from '../../database/database.js'
import type { Refusal } from '../../interface/generated/types.js'

/** Instants are ISO 8601. */
export interface ActivityRow {
  organization_id: string
  source_id: string
  delivered_at: string | null
  refused_at: string | null
  reason: Refusal['reason'] | null
  refused: number
}

/** Counts what was left out of deliveries of these sources. */
export async function addLeftOut(
  tx: Queryable,
  organizationId: string,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  if (counts.size === 0) return
  await tx.query(
    `insert into source_activity as a (organization_id, source_id, left_out)
     select $1, t.source_id, t.left_out from unnest($2::text[], $3::bigint[]) as t (source_id, left_out)
       join sources s on s.organization_id = $1 and s.source_id = t.source_id
      order by t.source_id
         on conflict (organization_id, source_id) do update set left_out = a.left_out + excluded.left_out`,
    [organizationId, [...counts.keys()], [...counts.values()]],
  )
}

/** Adds what sources did since the last time. */
export async function writeActivity(database: Queryable, rows: readonly ActivityRow[]): Promise<void> {
  await database.query(
    `insert into source_activity as a (organization_id, source_id, last_delivery_at, last_refusal_at, last_refusal_reason, refused)
     select t.organization_id, t.source_id, delivered_at, refused_at, reason, t.refused
       from json_to_recordset($1::json) as t (organization_id text, source_id text, delivered_at timestamptz,
         refused_at timestamptz, reason text, refused bigint)
       join sources s on s.organization_id = t.organization_id and s.source_id = t.source_id
      order by t.organization_id, t.source_id
         on conflict (organization_id, source_id) do update
        set last_delivery_at = greatest(a.last_delivery_at, excluded.last_delivery_at),
            last_refusal_reason = case when excluded.last_refusal_at >= coalesce(a.last_refusal_at, '-infinity')
                                       then excluded.last_refusal_reason else a.last_refusal_reason end,
            last_refusal_at = greatest(a.last_refusal_at, excluded.last_refusal_at),
            refused = a.refused + excluded.refused`,
    [JSON.stringify(rows)],
  )
}
