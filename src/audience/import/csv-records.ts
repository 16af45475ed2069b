import { CsvError, parse } from 'csv-parse/sync'
import { limit } from '../../lib/limits.js'
import { createTurns } from '../../lib/turns.js'
import { isRejectReason, type Numbered } from './split-lines.js'

const RECORD_CHARS_MAX = limit('importLineBytes')

const MISPLACED_QUOTE = 'a quote is misplaced: put the whole cell in quotes and double each quote inside it'

/** Characters that separate cells. A spreadsheet of a country with decimal commas writes semicolons. */
const DELIMITERS = [',', ';', '\t'] as const
type Delimiter = (typeof DELIMITERS)[number]

interface TextLine {
  line: number
  value: string
}

/**
 * The records of a CSV as lists of cells, each with the number of the line on which it starts; blank lines are skipped,
 * and so are the reasons in a file of rejected lines. The first line tells what separates the cells; one of `sep=;`
 * alone says so. A quoted cell may span lines. When the quotes of a record make no sense, or it has more or fewer cells
 * than the first one, that record's first line alone is refused and the lines after it are read as records of their
 * own: one stray quote costs one line, not the rest of the file.
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
  private cellCount: number | undefined
  private delimiter: Delimiter | undefined;

  /**
   * The records that `line` completes, undefined for a blank line. Without one, no line can complete what is open.
   */
  *read(line: TextLine | undefined): Generator<Numbered<string[]> | undefined> {
    const todo = line === undefined ? [] : [line]
    const ended = line === undefined
    while (todo.length > 0 || (ended && this.open.length > 0)) {
      const next = todo.pop()
      if (next !== undefined) {
        if (this.open.length === 0 && this.isSkipped(next.value)) {
          yield undefined
          continue
        }
        this.add(next)
      }
      // Inside a quoted cell a quote stands doubled: their number is odd exactly while one is open.
      const isOpen = this.openQuotes % 2 === 1
      if (isOpen && next !== undefined && this.openChars <= RECORD_CHARS_MAX) continue

      const [first, ...rest] = this.take()
      const cells = isOpen ? 'a quote is opened and never closed' : this.parse([first!, ...rest])
      if (typeof cells === 'string') {
        yield { line: first!.line, reason: cells }
        for (const line of rest.reverse()) todo.push(line)
      } else {
        const last = rest.at(-1)
        if (cells.length === 0) yield undefined
        else yield { line: first!.line, ...(last && { lastLine: last.line }), value: cells }
      }
    }
  }

  /** Between two records: the reason of a rejected line, or the line that names the delimiter. */
  private isSkipped(text: string): boolean {
    if (isRejectReason(text)) return true
    if (this.delimiter !== undefined || text.trim() === '') return false
    const named = /^sep=(.)\r?$/i.exec(text)?.[1]
    this.delimiter = named === undefined ? delimiterOf(text) : DELIMITERS.find((delimiter) => delimiter === named)
    return named !== undefined
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
    const delimiter = this.delimiter ?? ','
    if (text.trim() === '' && !text.includes(delimiter)) return []
    const hasQuotes = text.includes('"')
    if (hasQuotes && !areQuotesWellPlaced(text, delimiter)) return MISPLACED_QUOTE
    let cells: string[]
    try {
      // Most lines have no quote, and nothing to parse.
      cells = hasQuotes ? parse(text, { delimiter, record_delimiter: '\n' })[0]! : text.split(delimiter)
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      return MISPLACED_QUOTE
    }
    this.cellCount ??= cells.length
    if (cells.length === this.cellCount) return cells
    return `the line has ${cells.length} cells, the header has ${this.cellCount}`
  }
}

/** Gives the delimiter that is most frequent in the header, outside of quotes; a comma where there is none. */
function delimiterOf(header: string): Delimiter {
  const outside = header.replaceAll(/"[^"]*"?/g, '')
  const count = (delimiter: Delimiter): number => outside.split(delimiter).length
  return DELIMITERS.reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most))
}

/**
 * True if each quote opens or closes a whole cell, or is one of two within one. The parser would say the same, with an
 * exception that takes it 50 µs.
 */
function areQuotesWellPlaced(text: string, delimiter: Delimiter): boolean {
  const parts = text.split('"')
  // Those at even places are outside of quotes: nothing (a doubled quote), or from a delimiter to a delimiter.
  for (let at = 0; at < parts.length; at += 2) {
    const part = parts[at]!
    if (part === '') continue
    if (at > 0 && !part.startsWith(delimiter)) return false
    if (at < parts.length - 1 && !part.endsWith(delimiter)) return false
  }
  return true
}
