import type { Queryable } from '../../database/database.js'
import { findRow, listRows } from '../../database/queries.js'
import { type Actor, idOfActor } from '../../http/principal.js'

export interface OperatorTokenRow {
  name: string
  created_at: Date
  created_by_type: Exclude<Actor['type'], 'visitor'>
  created_by_id: string | null
  expires_at: Date | null
  revoked_at: Date | null
}

const COLUMNS = 'name, created_at, created_by_type, created_by_id, expires_at, revoked_at'

/** Returns the token with this SHA-256 hash if it is not revoked; it may have expired. */
export const findLiveOperatorToken = (database: Queryable, tokenHash: string): Promise<OperatorTokenRow | undefined> =>
  findRow(database, `select ${COLUMNS} from operator_tokens where token_hash = $1 and revoked_at is null`, [tokenHash])

/** Returns undefined if a token with this name exists or existed. */
export const insertOperatorToken = (
  database: Queryable,
  token: { name: string; tokenHash: string; createdAt: Date; createdBy: Actor; expiresAt: Date | null },
): Promise<OperatorTokenRow | undefined> =>
  findRow(
    database,
    `insert into operator_tokens (name, token_hash, created_at, created_by_type, created_by_id, expires_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (name) do nothing returning ${COLUMNS}`,
    [token.name, token.tokenHash, token.createdAt, token.createdBy.type, idOfActor(token.createdBy), token.expiresAt],
  )

/** Lists the tokens, oldest first, including revoked ones. */
export const listOperatorTokenRows = (database: Queryable): Promise<OperatorTokenRow[]> =>
  listRows(database, `select ${COLUMNS} from operator_tokens order by created_at, name`)

/**
 * Revokes a token, on every node at once. A token that is already revoked keeps the time of its first revocation. Returns
 * undefined if the name is unknown.
 */
export const revokeOperatorTokenRow = (
  database: Queryable,
  name: string,
  revokedAt: Date,
): Promise<OperatorTokenRow | undefined> =>
  findRow(
    database,
    `update operator_tokens set revoked_at = coalesce(revoked_at, $2) where name = $1 returning ${COLUMNS}`,
    [name, revokedAt],
  )
