/** The list `$1, $2, …`, one parameter for each column, from `$first` on. */
export const parameters = (columns: readonly string[], first: number): string =>
  columns.map((_, index) => `$${first + index}`).join(', ')

/** The list `a = $1, b = $2, …` of an update, from `$first` on. */
export const assignments = (columns: readonly string[], first: number): string =>
  columns.map((column, index) => `${column} = $${first + index}`).join(', ')

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
