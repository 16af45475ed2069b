import type { Queryable } from './database.js'
import { type Owner, TABLE_ENTRIES } from './tables.js'

/** The table with the row of an owner, and the rest of the row's key. */
const OWNERS: Record<Owner, { table: string; and: string; columns: string }> = {
  organization: { table: 'organizations', and: '', columns: 'name, deleted_at, active' },
  workspace: { table: 'workspaces', and: 'and workspace_id = $2', columns: 'name, deleted_at' },
  channel: { table: 'channels', and: 'and channel_id = $2', columns: 'name, deleted_at, emptied_at' },
}

/** An owner that is being deleted, or is about to be. */
export interface Deletable {
  name: string
  /** Null if the deletion has not begun. */
  deleted_at: Date | null
  /** Only for an organization. */
  active?: boolean
  /** Only for a channel, because its row stays for the posts that name it. */
  emptied_at?: Date | null
}

/** Locks an owner, even one whose deletion has begun, so that nothing can be added to it. */
export async function lockForDeletion(
  tx: Queryable,
  owner: Owner,
  ids: readonly string[],
): Promise<Deletable | undefined> {
  const { table, and, columns } = OWNERS[owner]
  const { rows } = await tx.query<Deletable>(
    `select ${columns} from ${table} where organization_id = $1 ${and} for update`,
    ids,
  )
  return rows[0]?.emptied_at == null ? rows[0] : undefined
}

/** When the transaction ends, the owner is gone for every caller. */
export async function markDeleted(tx: Queryable, owner: Owner, ids: readonly string[], at: Date): Promise<void> {
  const { table, and } = OWNERS[owner]
  await tx.query(`update ${table} set deleted_at = $${ids.length + 1} where organization_id = $1 ${and}`, [...ids, at])
}

/** Deletes the few rows that belong to this owner. Those deleted in batches must already be gone. */
export async function deleteRowsOf(
  tx: Queryable,
  owner: Owner,
  ids: readonly string[],
  step: 'first' | 'last' = 'last',
): Promise<void> {
  // The registry lists a table after those that it refers to.
  for (const [table, { deletedWith }] of TABLE_ENTRIES.toReversed()) {
    if (deletedWith?.[owner] !== step) continue
    await tx.query(`delete from ${table} where organization_id = $1 ${OWNERS[owner].and}`, ids)
  }
}

/** Tables with the rest of their keys. A table that refers to another comes before it. */
export type KeyedTables = readonly (readonly [table: string, key: string])[]

/** Deletes at most `limit` rows of an organization, or of one of its channels, one table after another. */
export async function deleteSomeOf(
  tx: Queryable,
  tables: KeyedTables,
  { organizationId, channelId = null }: { organizationId: string; channelId?: string | null },
  limit: number,
): Promise<{ deleted: number }> {
  const which = channelId === null ? '' : 'and channel_id = $3'
  let deleted = 0
  for (const [table, key] of tables) {
    if (deleted >= limit) break
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and (${key}) in (
         select ${key} from ${table} where organization_id = $1 ${which} limit $2)`,
      [organizationId, limit - deleted, ...(channelId === null ? [] : [channelId])],
    )
    deleted += rowCount
  }
  return { deleted }
}
