import { CsvError, parse } from 'csv-parse/sync'
import { ApiError } from '../../errors.js'
import { unescapeFormulas } from '../../interface/csv.js'
import { IMPORT_COLUMNS, type ImportColumn, type ImportedLine } from '../../interface/post-import.js'

/** Characters that separate cells. A spreadsheet of a country with decimal commas writes semicolons. */
const DELIMITERS = [',', ';', '\t'] as const
const REQUIRED: readonly ImportColumn[] = ['channel', 'text']

/** A header of more cells is not of this file: each is compared with the others. */
const COLUMNS_MAX = 100

/** A line of the file; `extra` counts the cells for which there is no column. */
export interface ReadLine extends ImportedLine {
  extra: number
}

/** The lines of a CSV whose first one names the columns, in any order and case. Throws body_malformed for the whole file. */
export function readPostsCsv(text: string): ReadLine[] {
  const [header, ...records] = parseRecords(text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n'))
  if (header === undefined) throw unreadable('the file is empty')
  if (header.cells.length > COLUMNS_MAX) throw unreadable(`the first line has more than ${COLUMNS_MAX} cells`)
  const columns = header.cells.map((name) => name.trim().toLowerCase())
  checkColumns(columns)
  return records.map(({ line, cells }) => {
    const of = (column: ImportColumn): string => unescapeFormulas(cells[columns.indexOf(column)] ?? '')
    return {
      ...{ line, extra: Math.max(0, cells.length - columns.length) },
      ...{ time: of('time'), channel: of('channel'), text: of('text'), media: of('media'), notes: of('notes') },
    }
  })
}

function checkColumns(columns: readonly string[]): void {
  const wrong = [
    ...REQUIRED.filter((column) => !columns.includes(column)).map((column) => `the column ${column} is missing`),
    ...columns
      .filter((name) => !IMPORT_COLUMNS.some((column) => column === name))
      .map((name) => `"${name}" is no column`),
    ...columns.filter((name, index) => columns.indexOf(name) !== index).map((name) => `${name} stands there twice`),
  ]
  if (wrong.length > 0) throw unreadable(wrong.slice(0, 3).join('; '))
}

interface CsvRecord {
  /** The number of the line on which it begins. */
  line: number
  cells: string[]
}

function parseRecords(text: string): CsvRecord[] {
  try {
    const records = parse(text, {
      delimiter: delimiterOf(text.slice(0, text.search(/\n|$/))),
      record_delimiter: '\n',
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records.flatMap(({ record: cells, info: { lines } }) => {
      const isBlank = cells.every((cell) => cell.trim() === '')
      return isBlank ? [] : [{ line: lines - cells.join('').split('\n').length + 1, cells }]
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw unreadable(
      'a quote is opened and never closed, or misplaced: put the whole cell in quotes and double each quote in it',
    )
  }
}

/** Gives the delimiter that is most frequent in the header; a comma where there is none. */
function delimiterOf(header: string): string {
  const count = (delimiter: string): number => header.split(delimiter).length
  return DELIMITERS.reduce((most: string, delimiter) => (count(delimiter) > count(most) ? delimiter : most), ',')
}

const unreadable = (reason: string): ApiError =>
  new ApiError('body_malformed', {
    message: `The CSV cannot be read: its first line must name the columns ${IMPORT_COLUMNS.join(', ')}. Nothing was imported: ${reason}.`,
  })
