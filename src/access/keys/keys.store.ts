import { creatorColumns } from '../../audit/actor.js'
import { assignments, insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, readRow } from '../../database/queries.js'
import { TABLES } from '../../database/tables.js'
import type { Actor } from '../../http/principal.js'
import type { KeyRefusal } from '../../interface/generated/types.js'

/** The bounds of a key, as stored. */
export interface KeySettings {
  name: string
  /** Null for everything that a key may hold on /v1. */
  permissions: string[] | null
  /** Addresses and subnets; empty for any. */
  allowed_addresses: string[]
  expires_at: Date | null
  /** Null for the server's limit; 0 for no limit. */
  requests_per_second: number | null
}

export interface KeyRow extends Omit<KeySettings, 'name'> {
  created_at: Date
  organization_id: string
  secret_sealed: string
  active: boolean
}

/**
 * Returns the key with this id and whether its organization is active; undefined if the key is unknown or revoked or
 * its organization is being deleted. The key may have expired.
 */
export const findLiveKey = (database: Queryable, keyId: string): Promise<KeyRow | undefined> =>
  findRow(
    database,
    `select organization_id, secret_sealed, active, permissions, allowed_addresses, k.created_at, expires_at,
            requests_per_second
       from api_keys k join organizations using (organization_id)
      where key_id = $1 and revoked_at is null and deleted_at is null`,
    [keyId],
  )

export const keySecretContext = (keyId: string): string => TABLES.api_keys.sealed.secret_sealed.context('', keyId)

export interface KeyRefusals {
  count: number
  /** An instant as text, because the row comes as JSON. */
  last_at: string
  last_reason: KeyRefusal
}

export interface KeyListRow extends KeySettings {
  key_id: string
  created_at: Date
  /** Null for a key that was issued before this was recorded. */
  created_by_type: Exclude<Actor['type'], 'visitor'> | null
  created_by_id: string | null
  revoked_at: Date | null
  replaced_by: string | null
  refused: KeyRefusals | null
  /** To the minute. */
  last_used_at: Date | null
}

const COLUMNS = `key_id, name, permissions, allowed_addresses, expires_at, requests_per_second, created_at, created_by_type,
         created_by_id, revoked_at, replaced_by,
         (select last_used_at from key_uses u
           where u.organization_id = api_keys.organization_id and u.key_id = api_keys.key_id) as last_used_at,
         (select json_build_object('count', r.count, 'last_at', r.last_at, 'last_reason', r.last_reason) from key_refusals r
           where r.organization_id = api_keys.organization_id and r.key_id = api_keys.key_id) as refused`

export interface KeyToInsert extends Partial<KeySettings> {
  keyId: string
  organizationId: string
  secretSealed: string
  createdAt: Date
  createdBy?: Actor
}

export function insertKey(
  database: Queryable,
  { keyId, organizationId, secretSealed, createdAt, createdBy, ...settings }: KeyToInsert,
): Promise<KeyListRow> {
  const row = { key_id: keyId, organization_id: organizationId, secret_sealed: secretSealed, created_at: createdAt }
  const creator = createdBy && creatorColumns(createdBy)
  const { columns, parameters, values } = insertion({ ...row, ...creator, ...settings })
  return readRow(database, `insert into api_keys (${columns}) values (${parameters}) returning ${COLUMNS}`, values)
}

/** Locks the key, revoked or not, until the transaction ends. */
export const lockKey = (tx: Queryable, organizationId: string, keyId: string): Promise<KeyListRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from api_keys where organization_id = $1 and key_id = $2 for update`, [
    organizationId,
    keyId,
  ])

export const updateKeyRow = (
  tx: Queryable,
  organizationId: string,
  keyId: string,
  settings: Partial<KeySettings>,
): Promise<KeyListRow> =>
  readRow(
    tx,
    `update api_keys set ${assignments(Object.keys(settings), 3)}
      where organization_id = $1 and key_id = $2 returning ${COLUMNS}`,
    [organizationId, keyId, ...Object.values(settings)],
  )

/** Records the key that replaces another one. Returns false if the organization has no such key. */
export const noteReplacement = (
  tx: Queryable,
  organizationId: string,
  keyId: string,
  replacedBy: string,
): Promise<boolean> =>
  hitsRow(tx, 'update api_keys set replaced_by = $3 where organization_id = $1 and key_id = $2', [
    organizationId,
    keyId,
    replacedBy,
  ])

/** Lists the keys, oldest first, including revoked ones. */
export const listKeyRows = (database: Queryable, organizationId: string): Promise<KeyListRow[]> =>
  listRows(database, `select ${COLUMNS} from api_keys where organization_id = $1 order by created_at, key_id`, [
    organizationId,
  ])

/** Revokes a key on every node at once. A second revocation keeps the first time. Undefined for an unknown key. */
export const revokeKeyRow = (
  database: Queryable,
  organizationId: string,
  keyId: string,
  revokedAt: Date,
): Promise<KeyListRow | undefined> =>
  findRow(
    database,
    `update api_keys set revoked_at = coalesce(revoked_at, $3)
      where organization_id = $1 and key_id = $2 returning ${COLUMNS}`,
    [organizationId, keyId, revokedAt],
  )

/** Records the minute (since the epoch) in which each key was last used. A later one from another process is kept. */
export async function recordKeyUses(database: Queryable, uses: ReadonlyMap<string, number>): Promise<void> {
  // Rows are locked in one order, so that two processes never deadlock. Keys that were deleted in the meantime are
  // skipped.
  await database.query(
    `insert into key_uses (organization_id, key_id, last_used_at)
     select organization_id, key_id, to_timestamp(minute * 60.0)
       from unnest($1::text[], $2::integer[]) as used (key_id, minute) join api_keys using (key_id)
      order by key_id
        for key share of api_keys
     on conflict (organization_id, key_id)
        do update set last_used_at = greatest(key_uses.last_used_at, excluded.last_used_at)`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/** Adds the requests that were refused since the last call, by key. Unknown ids are skipped. */
export async function recordKeyRefusals(
  database: Queryable,
  refusals: ReadonlyMap<string, { count: number; at: number; reason: KeyRefusal }>,
): Promise<void> {
  const all = [...refusals]
  await database.query(
    `insert into key_refusals (organization_id, key_id, count, last_at, last_reason)
     select organization_id, key_id, refused.count, to_timestamp(at / 1000.0), reason
       from unnest($1::text[], $2::integer[], $3::bigint[], $4::text[]) as refused (key_id, count, at, reason)
       join api_keys using (key_id)
      order by key_id
        for key share of api_keys
     on conflict (organization_id, key_id)
        do update set count = key_refusals.count + excluded.count,
                      last_reason = case when excluded.last_at >= key_refusals.last_at then excluded.last_reason
                                         else key_refusals.last_reason end,
                      last_at = greatest(key_refusals.last_at, excluded.last_at)`,
    [
      all.map(([keyId]) => keyId),
      all.map(([, { count }]) => count),
      all.map(([, { at }]) => at),
      all.map(([, { reason }]) => reason),
    ],
  )
}

/** Deletes at most `limit` keys of the organization that were revoked before an instant. */
export const deleteRevokedKeys = (
  tx: Queryable,
  organizationId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<{ key_id: string; name: string }[]> =>
  listRows(
    tx,
    `delete from api_keys
      where organization_id = $1 and key_id in (
              select key_id from api_keys where organization_id = $1 and revoked_at < $2 order by key_id limit $3)
  returning key_id, name`,
    [organizationId, before, limit],
  )
