import type { Queryable } from '../../database/database.js'
import { hitsRow } from '../../database/queries.js'
import type { ChannelKey } from '../../http/snapshot.js'

interface RunningImport extends ChannelKey {
  /** The unique id of the import. */
  leasedBy: string
}

/** Takes or keeps the channel for this import until `leaseMs` from now. Returns false if another import has it. */
export const leaseImport = (
  database: Queryable,
  { organizationId, channelId, leasedBy }: RunningImport,
  leaseMs: number,
): Promise<boolean> =>
  hitsRow(
    database,
    `insert into running_imports as running (organization_id, channel_id, leased_by, leased_until)
     values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
     on conflict (organization_id, channel_id) do update
        set leased_by = excluded.leased_by, leased_until = excluded.leased_until
      where running.leased_by = excluded.leased_by or running.leased_until < clock_timestamp()`,
    [organizationId, channelId, leasedBy, leaseMs],
  )

/** Returns whether an import has the channel. */
export const isImportRunning = (database: Queryable, { organizationId, channelId }: ChannelKey): Promise<boolean> =>
  hitsRow(
    database,
    `select from running_imports
      where organization_id = $1 and channel_id = $2 and leased_until >= clock_timestamp()`,
    [organizationId, channelId],
  )

export async function endImport(
  database: Queryable,
  { organizationId, channelId, leasedBy }: RunningImport,
): Promise<void> {
  await database.query(
    'delete from running_imports where organization_id = $1 and channel_id = $2 and leased_by = $3',
    [organizationId, channelId, leasedBy],
  )
}
