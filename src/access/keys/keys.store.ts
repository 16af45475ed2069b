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
  /** Null: all that a key may hold. */
  permissions: string[] | null
  /** Addresses and subnets; empty: any. */
  allowed_addresses: string[]
  expires_at: Date | null
  /** Null: as many as the server allows a key; 0: any number. */
  requests_per_second: number | null
}

export interface KeyRow extends Omit<KeySettings, 'name'> {
  created_at: Date
  organization_id: string
  secret_sealed: string
  active: boolean
}

/**
 * The live key with this id and whether its organization is active; undefined for an unknown or revoked key,
 * and one of an organization that is being deleted. It may have expired.
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
  /** As JSON has it. */
  last_at: string
  last_reason: KeyRefusal
}

export interface KeyListRow extends KeySettings {
  key_id: string
  created_at: Date
  /** Null for a key that was issued before this was written down. */
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

/** Locks the key until the transaction ends, revoked or not. */
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

/** Says of a key what was issued in its place. False when the organization has no such key. */
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

/** Oldest first, revoked ones included. */
export const listKeyRows = (database: Queryable, organizationId: string): Promise<KeyListRow[]> =>
  listRows(database, `select ${COLUMNS} from api_keys where organization_id = $1 order by created_at, key_id`, [
    organizationId,
  ])

/** Revokes from this moment on every node; revoked again it keeps its first time. Undefined for an unknown key. */
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

/** Minutes since the epoch in which keys were used, by key. A later one that another process wrote stays. */
export async function recordKeyUses(database: Queryable, uses: ReadonlyMap<string, number>): Promise<void> {
  // Locked in one order, so that two processes never wait for each other; a key that is deleted meanwhile is left
  // out.
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

/** Adds the requests that were refused since the last time, by key. An id that no key has is left out. */
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

/** Removes keys of the organization that were revoked before an instant, `limit` of them at most. */
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
