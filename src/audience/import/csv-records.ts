import { CsvError, parse } from 'csv-parse/sync'
import { limit } from '../../lib/limits.js'
import { createTurns } from '../../lib/turns.js'
import type { Numbered } from './split-lines.js'

const RECORD_CHARS_MAX = limit('importLineBytes')

const MISPLACED_QUOTE = 'a quote is misplaced: put the whole cell in quotes and double each quote inside it'

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
  const turn = createTurns()
  async function* read(line: TextLine | undefined): AsyncGenerator<Numbered<string[]>> {
    for (const record of records.read(line)) {
      if (record !== undefined) yield record
      // One line may complete thousands that were read before, blank ones too.
      const due = turn()
      if (due !== undefined) await due
    }
  }
  for await (const line of lines) {
    if ('value' in line) {
      yield* read(line)
    } else {
      yield* read(undefined)
      yield line
    }
  }
  yield* read(undefined)
}

class CsvRecords {
  /** The lines of a record that is not complete yet: a quote in it is still open. */
  private open: TextLine[] = []
  private openChars = 0
  private openQuotes = 0
  private cellCount: number | undefined;

  /**
   * The records that `line` completes, undefined for a blank line. Without one, no line can complete what is open.
   */
  *read(line: TextLine | undefined): Generator<Numbered<string[]> | undefined> {
    const todo = line === undefined ? [] : [line]
    const ended = line === undefined
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
        for (const line of rest.reverse()) todo.push(line)
      } else {
        yield cells.length === 0 ? undefined : { line: first!.line, value: cells }
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
    const hasQuotes = text.includes('"')
    if (hasQuotes && !areQuotesWellPlaced(text)) return MISPLACED_QUOTE
    let cells: string[]
    try {
      // Most lines have no quote, and nothing to parse.
      cells = hasQuotes ? parse(text, { record_delimiter: '\n' })[0]! : text.split(',')
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      return MISPLACED_QUOTE
    }
    this.cellCount ??= cells.length
    if (cells.length === this.cellCount) return cells
    return `the line has ${cells.length} cells, the header has ${this.cellCount}`
  }
}

/**
 * Whether each quote opens or closes a whole cell, or is one of two within one. The parser would say the same, with an
 * exception that takes it 50 µs.
 */
function areQuotesWellPlaced(text: string): boolean {
  const parts = text.split('"')
  // Those at even places are outside of quotes: nothing (a doubled quote), or from a comma to a comma.
  for (let at = 0; at < parts.length; at += 2) {
    const part = parts[at]!
    if (part === '') continue
    if (at > 0 && !part.startsWith(',')) return false
    if (at < parts.length - 1 && !part.endsWith(',')) return false
  }
  return true
}
