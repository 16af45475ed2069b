import { ApiError } from '../../errors.js'
import { findWrongColumns, fromCell } from './conversation-line.js'
import { readCsvRecords } from './csv-records.js'
import { type Numbered, splitLines } from './split-lines.js'

/** The records of newline-delimited JSON, one line each; blank lines are skipped. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Numbered<unknown>> {
  for await (const line of splitLines(chunks)) {
    if ('reason' in line) {
      yield line
    } else if (line.value.trim() !== '') {
      yield parseJson(line.line, line.value)
    }
  }
}

function parseJson(line: number, text: string): Numbered<unknown> {
  try {
    return { line, value: JSON.parse(text) }
  } catch {
    return { line, reason: 'the line is not valid JSON: write one whole object per line' }
  }
}

/**
 * The records of a CSV whose first line names the fields. Throws body_malformed when that line is missing or wrong, so
 * that nothing lands of a file that is not meant.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  marksVips: boolean,
): AsyncGenerator<Numbered<unknown>> {
  let columns: string[] | undefined
  for await (const record of readCsvRecords(splitLines(chunks))) {
    if (columns === undefined) {
      if ('reason' in record) throw wrongHeader(record.reason)
      const wrong = findWrongColumns(record.value, marksVips)
      if (wrong !== undefined) throw wrongHeader(wrong)
      columns = record.value
    } else if ('reason' in record) {
      yield record
    } else {
      const cells = record.value
      yield {
        line: record.line,
        value: Object.fromEntries(columns.map((column, index) => [column, fromCell(column, cells[index]!)])),
      }
    }
  }
  if (columns === undefined) throw wrongHeader('the file is empty')
}

function wrongHeader(reason: string): ApiError {
  return new ApiError('body_malformed', {
    message: `The CSV cannot be read: its first line must name the fields, separated by commas. Nothing was imported: ${reason}.`,
  })
}
