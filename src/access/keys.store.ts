import type { Queryable } from '../database/database.js'
import { sealedColumn } from '../database/sealed-column.js'

export interface KeyRow {
  organization_id: string
  secret_sealed: string
  active: boolean
}

/**
 * The live key with this id and whether its organization is active; undefined for an unknown or revoked key,
 * and one of an organization that is being deleted.
 */
export async function findLiveKey(database: Queryable, keyId: string): Promise<KeyRow | undefined> {
  const { rows } = await database.query<KeyRow>(
    `select organization_id, secret_sealed, active
       from api_keys join organizations using (organization_id)
      where key_id = $1 and revoked_at is null and deleted_at is null`,
    [keyId],
  )
  return rows[0]
}

/** What a sealed secret is bound to (lib/seal.ts). */
export const keySecretContext = (keyId: string): string => `key ${keyId}`

export const sealedKeySecrets = sealedColumn(
  { table: 'api_keys', id: 'key_id', column: 'secret_sealed' },
  (_organizationId, keyId) => keySecretContext(keyId),
)

export interface KeyListRow {
  key_id: string
  created_at: Date
  revoked_at: Date | null
}

export async function insertKey(
  database: Queryable,
  key: { keyId: string; organizationId: string; secretSealed: string; createdAt: Date },
): Promise<void> {
  await database.query(
    'insert into api_keys (key_id, organization_id, secret_sealed, created_at) values ($1, $2, $3, $4)',
    [key.keyId, key.organizationId, key.secretSealed, key.createdAt],
  )
}

/** Oldest first, revoked ones included. */
export async function listKeyRows(database: Queryable, organizationId: string): Promise<KeyListRow[]> {
  const { rows } = await database.query<KeyListRow>(
    'select key_id, created_at, revoked_at from api_keys where organization_id = $1 order by created_at, key_id',
    [organizationId],
  )
  return rows
}

/** Revokes from this moment on every node; revoked again it keeps its first time. Undefined for an unknown key. */
export async function revokeKeyRow(
  database: Queryable,
  organizationId: string,
  keyId: string,
  revokedAt: Date,
): Promise<KeyListRow | undefined> {
  const { rows } = await database.query<KeyListRow>(
    `update api_keys set revoked_at = coalesce(revoked_at, $3)
      where organization_id = $1 and key_id = $2 returning key_id, created_at, revoked_at`,
    [organizationId, keyId, revokedAt],
  )
  return rows[0]
}
