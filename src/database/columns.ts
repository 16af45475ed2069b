/** The list `$1, $2, …`, one parameter for each column, from `$first` on. */
export const parameters = (columns: readonly string[], first: number): string =>
  columns.map((_, index) => `$${first + index}`).join(', ')

/**
 * The parts of an insert of one row, from `$first` on. The keys of `row` are columns that the program names, never a
 * caller.
 */
export function insertion(row: Readonly<Record<string, unknown>>, first = 1) {
  const columns = Object.keys(row)
  return { columns: columns.join(', '), parameters: parameters(columns, first), values: Object.values(row) }
}

/** The list `a = $1, b = $2, …` of an update, from `$first` on. */
export const assignments = (columns: readonly string[], first: number): string =>
  columns.map((column, index) => `${column} = $${first + index}`).join(', ')

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
