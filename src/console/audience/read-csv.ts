/** The beginning of a CSV: the names of its columns, and its first rows. */
export interface CsvHead {
  columns: string[]
  rows: string[][]
}

const DELIMITERS = [',', ';', '\t']

/** Reads the beginning of a CSV as the service does: the delimiter is the most frequent one of the first line. */
export function readCsvHead(text: string, rowsMax: number): CsvHead {
  const named = /^\uFEFF?sep=([,;\t])\r?\n/i.exec(text)
  const body = named === null ? text.replace(/^\uFEFF/, '') : text.slice(named[0].length)
  const outside = (/^.*/.exec(body)?.[0] ?? '').replaceAll(/"[^"]*"?/g, '')
  const many = (delimiter: string): number => outside.split(delimiter).length
  const delimiter = named?.[1] ?? DELIMITERS.reduce((most, each) => (many(each) > many(most) ? each : most))
  const [columns = [], ...rows] = readRecords(body, delimiter, rowsMax + 1)
  return { columns, rows }
}

function readRecords(text: string, delimiter: string, max: number): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  const cell = new RegExp(`("(?:[^"]|"")*"|(?:[^"${delimiter}\r\n][^${delimiter}\r\n]*)?)(${delimiter}|\r?\n|$)`, 'y')
  while (records.length < max && cell.lastIndex < text.length) {
    const found = cell.exec(text)
    // A quote in the wrong place: the service says so, with its line.
    if (found === null) break
    const [, value = '', end] = found
    cells.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === delimiter) continue
    if (cells.length > 1 || cells[0] !== '') records.push(cells)
    cells = []
  }
  return records
}
