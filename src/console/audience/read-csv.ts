import { fromCsvCell } from '../../interface/csv.ts'
import { CsvRecords } from '../../interface/csv-records.ts'
import { type Encoding, TextLines } from '../../interface/text-lines.ts'

/** The beginning of a CSV file: its column names and first rows. */
export interface CsvHead {
  columns: string[]
  rows: string[][]
  encoding: Encoding
}

/** Parses the first bytes of a CSV file as the service does. Throws the reason if the header cannot be read. */
export function readCsvHead(bytes: Uint8Array, rowsMax: number, isWhole: boolean): CsvHead {
  const lines = new TextLines({ mayBeWindows1252: true })
  const records = new CsvRecords()
  const read = [...records.push(lines.push(bytes))]
  if (isWhole) read.push(...records.push(lines.end()), ...records.end())
  const [header, ...rest] = read.filter((record) => record !== undefined)
  if (header !== undefined && 'reason' in header) throw new Error(header.reason)
  const rows = rest.flatMap((record) => ('value' in record ? [record.value] : [])).slice(0, rowsMax)
  return {
    columns: header?.value ?? [],
    rows: rows.map((cells) => cells.map(fromCsvCell)),
    encoding: lines.encoding,
  }
}
