import { ApiError } from '../../errors.js'
import { fromCsvCell } from '../../interface/csv.js'
import { type CsvRecord, CsvRecords } from '../../interface/csv-records.js'
import type { ImportCells } from '../../interface/generated/types.js'
import { IMPORT_COLUMNS, type ImportColumn } from '../../interface/post-import.js'
import { TextLines } from '../../interface/text-lines.js'

const REQUIRED: readonly ImportColumn[] = ['channel', 'text']

/** A line of the file; `tooMany` says what is wrong with its number of cells. */
export interface ReadLine extends ImportCells {
  line: number
  tooMany?: string
}

/**
 * Reads the lines of a CSV whose first line names the columns, in any order and case. Throws body_malformed for the whole
 * file.
 */
export function readPostsCsv(text: string): ReadLine[] {
  const [header, ...records] = readRecords(text)
  if (header === undefined) throw unreadable('the file is empty')
  if ('reason' in header) throw unreadable(header.reason)
  const columns = header.value.map((name) => name.toLowerCase())
  checkColumns(columns)
  return records.map((record) => {
    const cells = 'reason' in record ? record.cells : record.value
    if (cells === undefined) throw unreadable(`line ${record.line}: ${(record as { reason: string }).reason}`)
    const of = (column: ImportColumn): string => fromCsvCell(cells[columns.indexOf(column)] ?? '')
    return {
      ...{ line: record.line, ...('reason' in record && { tooMany: record.reason }) },
      ...{ time: of('time'), channel: of('channel'), text: of('text'), media: of('media'), notes: of('notes') },
    }
  })
}

function readRecords(text: string): CsvRecord[] {
  const lines = new TextLines({ mayBeWindows1252: false })
  const records = new CsvRecords()
  const read = [...lines.push(Buffer.from(text)), ...lines.end()]
  return [...records.push(read), ...records.end()].filter((record) => record !== undefined)
}

function checkColumns(columns: readonly string[]): void {
  const wrong = [
    ...REQUIRED.filter((column) => !columns.includes(column)).map((column) => `the column ${column} is missing`),
    ...columns
      .filter((name) => name !== '' && !IMPORT_COLUMNS.some((column) => column === name))
      .map((name) => `"${name}" is not a column`),
    ...columns
      .filter((name, index) => name !== '' && columns.indexOf(name) !== index)
      .map((name) => `${name} appears twice`),
  ]
  if (wrong.length > 0) throw unreadable(wrong.slice(0, 3).join('; '))
}

const unreadable = (reason: string): ApiError =>
  new ApiError('body_malformed', {
    message: `The CSV cannot be read: its first line must name the columns ${IMPORT_COLUMNS.join(', ')}. Nothing was imported: ${reason}.`,
  })
