import type { Queryable } from '../database/database.js'
import { readRow } from '../database/queries.js'

export interface EndingByAge {
  /** How many expire before `soon`, and how many have expired. */
  ending: number
  ended: number
  /** Up to five ids or names, those that expire first. */
  examples: string[]
}

interface When {
  now: Date
  soon: Date
  maxAgeMs: number
}

/** Keys and tokens that are not revoked. */
const ISSUED = {
  keys: `select key_id as id, k.created_at, expires_at from api_keys k join organizations using (organization_id)
          where revoked_at is null and deleted_at is null`,
  operatorTokens: 'select name as id, created_at, expires_at from operator_tokens where revoked_at is null',
}

/** Counts the keys or tokens whose maximum age comes before their own expiry. */
export const findEnding = (
  database: Queryable,
  what: keyof typeof ISSUED,
  { now, soon, maxAgeMs }: When,
): Promise<EndingByAge> =>
  readRow(
    database,
    `select count(*) filter (where ends_at > $1) as ending, count(*) filter (where ends_at <= $1) as ended,
            coalesce((array_agg(id order by ends_at, id))[1:5], '{}') as examples
       from (select *, created_at + $3 * interval '1 millisecond' as ends_at from (${ISSUED[what]}) issued) aged
      where ends_at <= $2 and (expires_at is null or expires_at > ends_at)`,
    [now, soon, maxAgeMs],
  )
