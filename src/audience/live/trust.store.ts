import type { Queryable } from '../../database/database.js'
import { listRows } from '../../database/queries.js'
import type { ExternalId } from '../facts.js'

interface Knowledge {
  kind: string
  id: string
  is_known: boolean
  /** True if something other than a source without full trust knows it: a conversation, a link, a purchase or a field. */
  is_trusted: boolean
}

/** Returns which of these ids are known, and to which sources. */
export async function listKnowledge(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
): Promise<Knowledge[]> {
  if (ids.length === 0) return []
  return await listRows(
    tx,
    `select kind, id, is_trusted or has_field as is_known, is_trusted
       from (select distinct kind, id from unnest($2::text[], $3::text[]) as t (kind, id)) t
      cross join lateral (
            select exists (select from person_fields f
                            where f.organization_id = $1 and f.id_kind = t.kind and f.id = t.id) as has_field,
                   exists (select from person_ids p
                            where p.organization_id = $1 and p.kind = t.kind and p.id = t.id)
                or exists (select from person_ids p where p.organization_id = $1 and t.kind = 'userId' and p.cuid = t.id)
                or exists (select from conversations c where c.organization_id = $1 and t.kind = 'userId' and c.cuid = t.id)
                or exists (select from purchases b
                            where b.organization_id = $1 and b.id_kind = t.kind and b.id = t.id)
                or exists (select from person_fields f
                             left join sources s on s.organization_id = $1 and s.source_id = f.source_id
                            where f.organization_id = $1 and f.id_kind = t.kind and f.id = t.id
                              and coalesce(s.trust, 'full') = 'full') as is_trusted) known`,
    [organizationId, ids.map(({ kind }) => kind), ids.map(({ id }) => id)],
  )
}
