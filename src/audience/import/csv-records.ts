import { CsvError, parse } from 'csv-parse/sync'
import { limit } from '../../lib/limits.js'
import type { Numbered } from './split-lines.js'

const RECORD_CHARS_MAX = limit('importLineBytes')

interface TextLine {
  line: number
  value: string
}

/**
 * The records of a CSV as lists of cells, each with the number of the line on which it starts; blank lines are skipped.
 * A quoted cell may span lines. When the quotes of a record make no sense, or it has more or fewer cells than the first
 * one, that record's first line alone is refused and the lines after it are read as records of their own: one stray
 * quote costs one line, not the rest of the file.
 */
export async function* readCsvRecords(lines: AsyncIterable<Numbered<string>>): AsyncGenerator<Numbered<string[]>> {
  const records = new CsvRecords()
  for await (const line of lines) {
    if ('value' in line) {
      yield* records.read([line], false)
    } else {
      yield* records.read([], true)
      yield line
    }
  }
  yield* records.read([], true)
}

class CsvRecords {
  /** The lines of a record that is not complete yet: a quote in it is still open. */
  private open: TextLine[] = []
  private openChars = 0
  private openQuotes = 0
  private cellCount: number | undefined;

  /** The records that `lines` complete; with `ended`, no line can complete what is open then. */
  *read(lines: readonly TextLine[], ended: boolean): Generator<Numbered<string[]>> {
    const todo = lines.toReversed()
    while (todo.length > 0 || (ended && this.open.length > 0)) {
      const next = todo.pop()
      if (next !== undefined) this.add(next)
      // Inside a quoted cell a quote stands doubled: their number is odd exactly while one is open.
      const isOpen = this.openQuotes % 2 === 1
      if (isOpen && next !== undefined && this.openChars <= RECORD_CHARS_MAX) continue

      const [first, ...rest] = this.take()
      const cells = isOpen ? 'a quote is opened and never closed' : this.parse([first!, ...rest])
      if (typeof cells === 'string') {
        yield { line: first!.line, reason: cells }
        for (const line of rest.toReversed()) todo.push(line)
      } else if (cells.length > 0) {
        yield { line: first!.line, value: cells }
      }
    }
  }

  private add(line: TextLine): void {
    this.open.push(line)
    this.openChars += line.value.length + 1
    for (let at = line.value.indexOf('"'); at !== -1; at = line.value.indexOf('"', at + 1)) this.openQuotes += 1
  }

  private take(): TextLine[] {
    const lines = this.open
    this.open = []
    this.openChars = 0
    this.openQuotes = 0
    return lines
  }

  /** The cells of one record, none for a blank line; or what is wrong with it. */
  private parse(lines: TextLine[]): string[] | string {
    const text = lines
      .map((line) => line.value)
      .join('\n')
      .replace(/\r$/, '')
    if (text.trim() === '') return []
    let cells: string[]
    try {
      // Most lines have no quote, and nothing to parse.
      cells = text.includes('"') ? parse(text, { record_delimiter: '\n' })[0]! : text.split(',')
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      return 'a quote is misplaced: put the whole cell in quotes and double each quote inside it'
    }
    this.cellCount ??= cells.length
    if (cells.length === this.cellCount) return cells
    return `the line has ${cells.length} cells, the header has ${this.cellCount}`
  }
}
