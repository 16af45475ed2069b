import type { Queryable } from './database.js'

// The shapes in which most statements of the stores return their results. Each is one statement, as written in the store.

type Query = [database: Queryable, text: string, values?: readonly unknown[]]

/** Returns all rows. */
export async function listRows<Row>(...[database, text, values]: Query): Promise<Row[]> {
  return (await database.query<Row>(text, values)).rows
}

/** Returns the first row; undefined if there is none. */
export async function findRow<Row>(...[database, text, values]: Query): Promise<Row | undefined> {
  return (await database.query<Row>(text, values)).rows[0]
}

/** Returns the row of a statement that always returns one. */
export async function readRow<Row>(...query: Query): Promise<Row> {
  return (await findRow<Row>(...query))!
}

/** Returns the only column of all rows. */
export async function listValues<Value>(...query: Query): Promise<Value[]> {
  return (await listRows<Record<string, Value>>(...query)).map((row) => Object.values(row)[0]!)
}

/** Returns the only column of the first row; undefined if there is none. */
export async function findValue<Value>(...query: Query): Promise<Value | undefined> {
  return (await listValues<Value>(...query))[0]
}

/** Returns the only column of a statement that always returns a row. */
export async function readValue<Value>(...query: Query): Promise<Value> {
  return (await findValue<Value>(...query))!
}

/** Returns whether the statement finds or changes a row. */
export async function hitsRow(...[database, text, values]: Query): Promise<boolean> {
  return (await database.query(text, values)).rowCount > 0
}

export const hasTable = (database: Queryable, name: string): Promise<boolean> =>
  readValue(database, 'select to_regclass($1) is not null', [name])

/** Sets settings until the transaction ends. After a script, the embedded engine would prepare all its statements again. */
export async function setForTransaction(tx: Queryable, settings: Readonly<Record<string, string>>): Promise<void> {
  await tx.query('select set_config(name, value, true) from unnest($1::text[], $2::text[]) as s (name, value)', [
    Object.keys(settings),
    Object.values(settings),
  ])
}
