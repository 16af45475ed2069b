/** A column by which rows are sorted, and the direction. */
export interface Sort<Column extends string> {
  by: Column
  isDescending: boolean
}

/** The sort that the address names in these two parts; `fallback` where it names none. */
export function readSort<Column extends string>(
  columns: readonly Column[],
  { by, order }: { by: string | undefined; order: string | undefined },
  fallback: Sort<Column>,
): Sort<Column> {
  const column = columns.find((one) => one === by)
  return column === undefined ? fallback : { by: column, isDescending: order === 'desc' }
}

/**
 * The rows by a value: numbers by size, texts as people order them. Rows without a value stand last in both directions, and
 * rows with the same one keep their order.
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
