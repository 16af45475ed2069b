import type { Queryable } from '../database/database.js'

export interface EndingByAge {
  /** How many end before `soon`, and how many have ended. */
  ending: number
  ended: number
  /** Ids or names of a few, the oldest first. */
  examples: string[]
}

interface When {
  now: Date
  soon: Date
  maxAgeMs: number
}

const toEnding = ({ ending, ended, examples }: { ending: number; ended: number; examples: string[] | null }) => ({
  ending,
  ended,
  examples: examples ?? [],
})

/** Keys that are not revoked and that end by their age, before their own expiry. */
export async function findKeysEndingByAge(database: Queryable, { now, soon, maxAgeMs }: When): Promise<EndingByAge> {
  const { rows } = await database.query<EndingByAge>(
    `select count(*) filter (where ends_at > $1) as ending, count(*) filter (where ends_at <= $1) as ended,
            (array_agg(key_id order by ends_at, key_id))[1:5] as examples
       from (select key_id, expires_at, k.created_at + $3 * interval '1 millisecond' as ends_at
               from api_keys k join organizations using (organization_id)
              where revoked_at is null and deleted_at is null) aged
      where ends_at <= $2 and (expires_at is null or expires_at > ends_at)`,
    [now, soon, maxAgeMs],
  )
  return toEnding(rows[0]!)
}

/** The same of operator tokens. */
export async function findOperatorTokensEndingByAge(
  database: Queryable,
  { now, soon, maxAgeMs }: When,
): Promise<EndingByAge> {
  const { rows } = await database.query<EndingByAge>(
    `select count(*) filter (where ends_at > $1) as ending, count(*) filter (where ends_at <= $1) as ended,
            (array_agg(name order by ends_at, name))[1:5] as examples
       from (select name, expires_at, created_at + $3 * interval '1 millisecond' as ends_at
               from operator_tokens where revoked_at is null) aged
      where ends_at <= $2 and (expires_at is null or expires_at > ends_at)`,
    [now, soon, maxAgeMs],
  )
  return toEnding(rows[0]!)
}
