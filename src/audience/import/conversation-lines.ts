import { ApiError } from '../../errors.js'
import { findWrongColumns, fromCell, quote } from './conversation-line.js'
import { readCsvRecords } from './csv-records.js'
import { isRejectReason, type Numbered, splitLines } from './split-lines.js'

/** Our names of columns by theirs. */
export type ColumnMap = Readonly<Record<string, string>>
const LEFT_OUT = ''
/** Columns of the console's file that are no fields of a conversation. */
const OF_FILE: ColumnMap = { currency: LEFT_OUT, rank: LEFT_OUT }

/** The records of newline-delimited JSON, one line each; blank lines are skipped. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Numbered<unknown>> {
  for await (const line of splitLines(chunks)) {
    if ('reason' in line) {
      yield line
    } else if (line.value.trim() !== '' && !isRejectReason(line.value)) {
      // Files that were put together have a byte order mark each, which counts as a blank.
      yield parseJson(line.line, line.value.trim())
    }
  }
}

function parseJson(line: number, text: string): Numbered<unknown> {
  try {
    return { line, value: JSON.parse(text) }
  } catch {
    return { line, reason: `${quote(text)} is not valid JSON: write one whole object per line` }
  }
}

/**
 * The records of a CSV whose first line names the fields. `map` has our names by theirs; one of '' leaves the column
 * out. Throws body_malformed when that line is missing or wrong, so that nothing lands of a file that is not meant.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  marksVips: boolean,
  map: ColumnMap = {},
): AsyncGenerator<Numbered<unknown>> {
  let columns: string[] | undefined
  let places: [name: string, place: number][] = []
  for await (const record of readCsvRecords(splitLines(chunks))) {
    if (columns === undefined) {
      if ('reason' in record) throw wrongHeader(record.reason)
      const theirs = record.value
      const named = new Set(theirs)
      const lacking = Object.keys(map).find((name) => !named.has(name))
      if (lacking !== undefined) throw wrongHeader(`no column is called ${quote(lacking)}, which is mapped`)
      columns = theirs.map((name) => (Object.hasOwn(map, name) ? map[name]! : (OF_FILE[name] ?? name)))
      places = [...columns.entries()].filter(([, name]) => name !== LEFT_OUT).map(([place, name]) => [name, place])
      const wrong = findWrongColumns(
        places.map(([name]) => name),
        marksVips,
      )
      if (wrong !== undefined) throw wrongHeader(wrong)
    } else if ('reason' in record) {
      yield record
    } else {
      const { line, lastLine, value: cells } = record
      const value = Object.fromEntries(places.map(([name, place]) => [name, fromCell(name, cells[place]!)]))
      yield lastLine === undefined ? { line, value } : { line, lastLine, value }
    }
  }
  if (columns === undefined) throw wrongHeader('the file is empty')
}

function wrongHeader(reason: string): ApiError {
  return new ApiError('body_malformed', {
    message: `The CSV cannot be read: its first line must name the fields, separated by commas, semicolons or tabs. Nothing was imported: ${reason}.`,
  })
}
