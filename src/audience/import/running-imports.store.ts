import type { Queryable } from '../../database/database.js'

export interface RunningImport {
  organizationId: string
  channelId: string
  /** Unique per import. */
  importId: string
}

/** Takes or keeps the channel for this import until `leaseMs` from now. False: another import has it. */
export async function leaseImport(
  database: Queryable,
  { organizationId, channelId, importId }: RunningImport,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `insert into running_imports as running (organization_id, channel_id, import_id, expires_at)
     values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
     on conflict (organization_id, channel_id) do update
        set import_id = excluded.import_id, expires_at = excluded.expires_at
      where running.import_id = excluded.import_id or running.expires_at < clock_timestamp()`,
    [organizationId, channelId, importId, leaseMs],
  )
  return rowCount === 1
}

/** True while an import has the channel. */
export async function isImportRunning(
  database: Queryable,
  { organizationId, channelId }: Omit<RunningImport, 'importId'>,
): Promise<boolean> {
  const { rows } = await database.query(
    `select from running_imports
      where organization_id = $1 and channel_id = $2 and expires_at >= clock_timestamp()`,
    [organizationId, channelId],
  )
  return rows.length > 0
}

export async function endImport(
  database: Queryable,
  { organizationId, channelId, importId }: RunningImport,
): Promise<void> {
  await database.query(
    'delete from running_imports where organization_id = $1 and channel_id = $2 and import_id = $3',
    [organizationId, channelId, importId],
  )
}
