import type { AuditRow } from '../audit/audit.store.js'
import type { Queryable } from '../database/database.js'
import { findValue, listRows, listValues } from '../database/queries.js'

/** An entry of the audit trail for the export. */
export interface ExportedRow extends AuditRow {
  organization_id: string
  /** The version of a post after the change; null for any other target. */
  version: number | null
}

/**
 * Lists the organizations that have a trail after `after`, in the order of their ids, including deleted ones and the
 * server itself.
 */
export const listTrails = (database: Queryable, after: string, rows: number): Promise<string[]> =>
  // Jumps from one organization to the next, because a single trail may have any number of entries.
  listValues(
    database,
    `with recursive trails as (
       (select organization_id from audit_trail where organization_id > $1 order by organization_id limit 1)
       union all
       select (select a.organization_id from audit_trail a
                where a.organization_id > trails.organization_id order by a.organization_id limit 1)
         from trails where trails.organization_id is not null)
     select organization_id from trails where organization_id is not null limit $2`,
    [after, rows],
  )

/** Returns the number of the organization's last exported entry; 0 if there is none. */
export async function findExported(database: Queryable, organizationId: string): Promise<number> {
  const select = 'select through from audit_exports where organization_id = $1'
  return (await findValue<number>(database, select, [organizationId])) ?? 0
}

/** Lists the oldest entries after `after`, up to the first one that is not before `before`. */
export async function listEntriesBefore(
  database: Queryable,
  organizationId: string,
  { after, before, rows }: { after: number; before: Date; rows: number },
): Promise<ExportedRow[]> {
  const found = await listRows<ExportedRow>(
    database,
    `select organization_id, audit_id, at, actor_type, actor_id, actor_token, operation, target_type, target_id, version, changes,
            address, times, until, states
       from (select * from audit_trail where organization_id = $1 and audit_id > $2 order by audit_id limit $3) oldest
       left join audit_repeats using (organization_id, audit_id)
      order by audit_id`,
    [organizationId, after, rows],
  )
  const end = found.findIndex(({ at, until }) => (until ?? at) >= before)
  return end === -1 ? found : found.slice(0, end)
}

/** The entries in an export file. */
export interface AuditExport {
  /** The number of the last entry in the file, by organization. */
  through: ReadonlyMap<string, number>
  before: Date
  file: string
}

/** Records that a file has the entries. They may be removed once the transaction has committed. */
export async function recordExport(tx: Queryable, { through, before, file }: AuditExport): Promise<void> {
  await tx.query(
    `insert into audit_exports (organization_id, through, before, file)
     select organization_id, through, $3, $4 from unnest($1::text[], $2::bigint[]) as exported (organization_id, through)
      order by organization_id
         on conflict (organization_id) do update
        set through = greatest(audit_exports.through, excluded.through),
            before = greatest(audit_exports.before, excluded.before), file = excluded.file`,
    [[...through.keys()], [...through.values()], before, file],
  )
}

/**
 * Lists the organizations with exported entries after `after`, in the order of their ids, each with the number of its
 * last one.
 */
export const listExports = (
  database: Queryable,
  after: string,
  rows: number,
): Promise<{ organization_id: string; through: number }[]> =>
  listRows(
    database,
    'select organization_id, through from audit_exports where organization_id > $1 order by organization_id limit $2',
    [after, rows],
  )

/**
 * Removes exported entries after `after`, oldest first. Entries of posts that may still be published stay, because
 * they show who wrote the post, which decides who may approve it.
 */
export async function deleteExported(
  tx: Queryable,
  organizationId: string,
  { after, through, limit }: { after: number; through: number; limit: number },
): Promise<{ deleted: number; last: number }> {
  const ids = await listValues<number>(
    tx,
    `select audit_id from audit_trail a
      where organization_id = $1 and audit_id > $2 and audit_id <= $3
        and not (target_type = 'scheduledPost'
                 and exists (select from scheduled_posts p
                              where p.organization_id = $1 and p.scheduled_post_id = a.target_id
                                and p.status <> 'PUBLISHED' and p.content_removed_at is null))
      order by audit_id limit $4`,
    [organizationId, after, through, limit],
  )
  await tx.query('delete from audit_repeats where organization_id = $1 and audit_id = any($2::bigint[])', [
    organizationId,
    ids,
  ])
  await tx.query('delete from audit_trail where organization_id = $1 and audit_id = any($2::bigint[])', [
    organizationId,
    ids,
  ])
  return { deleted: ids.length, last: ids.at(-1) ?? after }
}
