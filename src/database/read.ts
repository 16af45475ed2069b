import type { Queryable } from './database.js'

/** Gives the first row of a result; undefined where there is none. */
export async function findRow<Row>(
  database: Queryable,
  text: string,
  values?: readonly unknown[],
): Promise<Row | undefined> {
  const { rows } = await database.query<Row>(text, values)
  return rows[0]
}

/** Gives the column `value` of the one row that the statement returns. */
export async function readValue<T>(database: Queryable, text: string, values?: readonly unknown[]): Promise<T> {
  return (await findRow<{ value: T }>(database, text, values))!.value
}

export const hasTable = (database: Queryable, name: string): Promise<boolean> =>
  readValue(database, 'select to_regclass($1) is not null as value', [name])
