/** The column and direction that rows are sorted by. */
export interface Sort<Column extends string> {
  by: Column
  isDescending: boolean
}

/** Reads the sort order from two query parameters, with a fallback. */
export function readSort<Column extends string>(
  columns: readonly Column[],
  { by, order }: { by: string | undefined; order: string | undefined },
  fallback: Sort<Column>,
): Sort<Column> {
  const column = columns.find((one) => one === by)
  return column === undefined ? fallback : { by: column, isDescending: order === 'desc' }
}

/**
 * Sorts rows by a value: numbers by size, texts by locale. Rows without a value come last in both directions; the sort is
 * stable.
 */
export function sortBy<Row>(
  rows: readonly Row[],
  toValue: (row: Row) => number | string | undefined,
  isDescending: boolean,
  locale: string,
): Row[] {
  const { compare } = new Intl.Collator(locale, { numeric: true })
  const sign = isDescending ? -1 : 1
  return rows
    .map((row) => ({ row, value: toValue(row) }))
    .toSorted((a, b) => {
      if (a.value === undefined || b.value === undefined) {
        return Number(a.value === undefined) - Number(b.value === undefined)
      }
      const order =
        typeof a.value === 'number' && typeof b.value === 'number'
          ? a.value - b.value
          : compare(String(a.value), String(b.value))
      return sign * order
    })
    .map(({ row }) => row)
}
