/** Returns the list `$1, $2, …`, one parameter for each column, starting at `$first`. */
export const parameters = (columns: readonly string[], first: number): string =>
  columns.map((_, index) => `$${first + index}`).join(', ')

/**
 * Returns the parts of an insert of one row, starting at `$first`. The keys of `row` are column names from our own code,
 * never from a caller.
 */
export function insertion(row: Readonly<Record<string, unknown>>, first = 1) {
  const columns = Object.keys(row)
  return { columns: columns.join(', '), parameters: parameters(columns, first), values: Object.values(row) }
}

/** Returns the list `a = $1, b = $2, …` of an update, starting at `$first`. */
export const assignments = (columns: readonly string[], first: number): string =>
  columns.map((column, index) => `${column} = $${first + index}`).join(', ')

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
