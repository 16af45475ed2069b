import { type AuditEntry, recordAudit, SERVER } from '../../audit/audit.store.js'
import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, hitsRow, listRows, listValues, readValue } from '../../database/queries.js'
import type { Actor, ServerPrincipal } from '../../http/principal.js'
import type { TokenScope } from '../../interface/generated/types.js'

export interface PersonalTokenRow {
  token_id: string
  name: string
  scopes: TokenScope[]
  bound_to: string | null
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}

interface OwnedTokenRow extends PersonalTokenRow {
  person_id: string
  second_factor: boolean
}

const COLUMNS = 't.token_id, t.name, t.scopes, t.bound_to, t.created_at, t.expires_at, t.last_used_at'

/** Finds a token by its SHA-256 if the person is active; it may have expired. */
export const findToken = (
  database: Queryable,
  tokenHash: string,
): Promise<(OwnedTokenRow & { owner: boolean }) | undefined> =>
  findRow(
    database,
    `select ${COLUMNS}, person_id, second_factor, owner from personal_tokens t join people using (person_id)
      where token_hash = $1 and active`,
    [tokenHash],
  )

/** Lists the unexpired tokens, newest first. */
export const listTokenRows = (database: Queryable, personId: string, now: Date): Promise<PersonalTokenRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from personal_tokens t where person_id = $1 and expires_at > $2
      order by created_at desc, token_id`,
    [personId, now],
  )

export const countTokens = (database: Queryable, personId: string, now: Date): Promise<number> =>
  readValue(database, 'select count(*)::int from personal_tokens where person_id = $1 and expires_at > $2', [
    personId,
    now,
  ])

/** Inserts a token and deletes the person's expired ones. The person must be locked. */
export async function insertToken(tx: Queryable, token: OwnedTokenRow & { token_hash: string }): Promise<void> {
  await tx.query('delete from personal_tokens where person_id = $1 and expires_at <= $2', [
    token.person_id,
    token.created_at,
  ])
  const { columns, parameters, values } = insertion({ ...token })
  await tx.query(`insert into personal_tokens (${columns}) values (${parameters})`, values)
}

/** Returns false if the person has no such token. */
export const deleteToken = (tx: Queryable, personId: string, tokenId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from personal_tokens where person_id = $1 and token_id = $2', [personId, tokenId])

/**
 * Deletes all tokens of a person and the logins that they allowed; the person must be locked. Returns the ids of the
 * tokens.
 */
export async function deleteTokens(tx: Queryable, personId: string): Promise<string[]> {
  await tx.query('delete from device_logins where person_id = $1', [personId])
  return await listValues(tx, 'delete from personal_tokens where person_id = $1 returning token_id', [personId])
}

/** Makes a person's tokens count as made without a second factor, once the person has none. */
export async function forgetSecondFactor(tx: Queryable, personId: string): Promise<void> {
  await tx.query('update personal_tokens set second_factor = false where person_id = $1 and second_factor', [personId])
  await tx.query(
    `update device_logins set granted = jsonb_set(granted, '{secondFactor}', 'false') where person_id = $1 and allowed`,
    [personId],
  )
}

/** Returns whether the token exists, and blocks its deletion until the transaction ends. */
export const holdToken = (tx: Queryable, tokenId: string): Promise<boolean> =>
  hitsRow(tx, 'select from personal_tokens where token_id = $1 for share', [tokenId])

/**
 * Records when tokens were last used, in minutes since the epoch. Rows are locked in one order, so that processes
 * never deadlock.
 */
export async function recordTokenUses(database: Queryable, uses: ReadonlyMap<string, number>): Promise<void> {
  await database.query(
    `with used as (
       select token_id, to_timestamp(minute * 60.0) as at
         from unnest($1::text[], $2::integer[]) as given (token_id, minute) join personal_tokens using (token_id)
        order by token_id
          for no key update of personal_tokens)
     update personal_tokens t set last_used_at = greatest(last_used_at, used.at) from used where t.token_id = used.token_id`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/**
 * Ends all tokens of a person and writes each to the audit trail; the person must be locked. Returns how many there
 * were.
 */
export async function endTokens(tx: Queryable, personId: string, actor: Actor, at: Date): Promise<number> {
  const ended = await deleteTokens(tx, personId)
  for (const id of ended) {
    await recordTokenAudit(tx, { actor }, id, { at, operation: 'revokeOwnToken' })
  }
  return ended.length
}

/** Writes a change of a token to the server's audit trail. */
export const recordTokenAudit = (
  tx: Queryable,
  { actor, address }: Pick<ServerPrincipal, 'actor' | 'address'>,
  id: string,
  change: Pick<AuditEntry, 'at' | 'operation' | 'changes'>,
): Promise<void> =>
  recordAudit(tx, {
    principal: { organizationId: SERVER, actor, ...(address === undefined ? {} : { address }) },
    ...change,
    target: { type: 'personalToken', id },
  })
