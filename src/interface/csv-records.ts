import { fromCsvCell } from './csv.js'
import type { Line } from './text-lines.js'

/** A record of a file: its line, the last one if it spans several, and its value or the reason why it has none. */
export type Numbered<T> = { line: number; lastLine?: number; value: T } | Refused
interface Refused {
  line: number
  lastLine?: number
  reason: string
}

/** The cells of a record, one for each column. One that has too many is refused, and keeps those that have a column. */
export type CsvRecord = { line: number; lastLine?: number; value: string[] } | (Refused & { cells?: string[] })

/** Said of a file that has no records, so that nobody takes it for one whose lines were lost. */
export const NOTHING_TO_IMPORT = 'The file has nothing to import: no line below its header has a value.'

/** Characters that separate cells. A spreadsheet of a country with decimal commas writes semicolons. */
const DELIMITERS = [',', ';', '\t'] as const

const RECORD_CHARS_MAX = 1024 * 1024
/** A file with more is not of a kind that we know; names are compared with each other. */
const COLUMNS_MAX = 1_000

const UNCLOSED = 'a quote is opened and never closed'
const MISPLACED = 'a quote is misplaced: put the whole cell in quotes and double each quote inside it'

const REJECT_REASON = /^# line \d+: /
/** True if the line is not data: in a file of rejected lines each has its reason above it. */
export const isRejectReason = (text: string): boolean => text.startsWith('# line ') && REJECT_REASON.test(text)

/** The separator that a line before the header names, as Excel writes it; '' if it is none that we know. */
const readSeparator = (text: string): string | undefined => {
  const named = text.length > 100 ? undefined : /^"?sep=(.)"?[,;\t]*$/i.exec(text)?.[1]
  return named === undefined ? undefined : (DELIMITERS.find((delimiter) => delimiter === named) ?? '')
}

const hasOnlySeparators = (text: string): boolean => text.replaceAll(/[,;\t"]/g, '').trim() === ''

/** True for a line that may come before the one that names the columns. */
export const isBeforeHeader = (text: string): boolean =>
  isRejectReason(text) || hasOnlySeparators(text) || readSeparator(text) !== undefined

/**
 * Reads the records of a CSV line by line; the first one has the names of the columns. Lines without a text in any cell
 * are skipped, missing cells are empty, and empty ones behind the last column are left out. A quote in the middle of a
 * cell is a character like any other. When the quotes of a record make no sense, only its first line is refused and the
 * lines after it are read as records of their own: one stray quote costs one line, not the rest of the file.
 *
 * An open quote may span lines only in a record without quotes in the middle of cells. So no line that was read in an
 * open quote opens one itself when it is read again, and the work does not grow faster than the file.
 */
export class CsvRecords {
  private columns: string[] | undefined
  /** The places of columns without a name. */
  private unnamed: number[] = []
  private delimiter: string | undefined
  private readonly cells = new OpenRecord()
  /** The lines of a record that is not complete yet: a quote in it is still open. */
  private open: TextLine[] = []
  private openChars = 0;

  /** The records that the lines complete. Undefined for a line that is skipped, so that others have their turns. */
  *push(lines: readonly Line[]): Generator<CsvRecord | undefined> {
    for (const line of lines) {
      const isPlain =
        this.columns !== undefined && this.open.length === 0 && 'value' in line && !line.value.includes('"')
      if (!isPlain) yield* this.read([line])
      else if (isRejectReason(line.value)) yield undefined
      else yield this.toRecord([line], line.value.split(this.delimiter!))
    }
  }

  /** Gives what is left when there are no more lines. */
  *end(): Generator<CsvRecord | undefined> {
    while (this.open.length > 0) {
      const [first, ...rest] = this.take()
      yield { line: first!.line, reason: UNCLOSED }
      yield* this.read(rest.reverse())
    }
  }

  /** `todo` has the first line last. */
  private *read(todo: Line[]): Generator<CsvRecord | undefined> {
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      let wrong: string | undefined
      if ('reason' in next) {
        if (this.open.length === 0) {
          yield next
          continue
        }
        // No line after it can complete what is open.
        todo.push(next)
        wrong = UNCLOSED
      } else {
        if (this.open.length === 0 && this.isSkipped(next.value)) {
          yield undefined
          continue
        }
        this.open.push(next)
        this.openChars += next.value.length + 1
        this.cells.read(next.value, next.end, this.delimiter ?? ',')
        if (this.cells.isMisplaced) wrong = MISPLACED
        else if (this.cells.isOpen) {
          if (this.openChars <= RECORD_CHARS_MAX) continue
          wrong = UNCLOSED
        }
      }
      const { cells } = this.cells
      const lines = this.take()
      if (wrong === undefined) yield this.toRecord(lines, cells)
      else {
        yield { line: lines[0]!.line, reason: wrong }
        for (let at = lines.length - 1; at > 0; at--) todo.push(lines[at]!)
      }
    }
  }

  /** True between two records for a reason of a rejected line, and before the header for one without a text. */
  private isSkipped(text: string): boolean {
    if (isRejectReason(text)) return true
    if (this.columns !== undefined) return false
    if (hasOnlySeparators(text)) return true
    const named = readSeparator(text)
    if (named === undefined) this.delimiter ??= delimiterOf(text)
    else if (named !== '') this.delimiter = named
    return named !== undefined
  }

  private take(): TextLine[] {
    const lines = this.open
    this.open = []
    this.openChars = 0
    this.cells.clear()
    return lines
  }

  /** The record of these cells; undefined for one without a text. */
  private toRecord(lines: readonly TextLine[], cells: string[]): CsvRecord | undefined {
    if (isBlank(cells[0]!) && cells.every(isBlank)) return undefined
    const { line } = lines[0]!
    const last = lines.length > 1 ? { lastLine: lines[lines.length - 1]!.line } : {}
    if (this.columns === undefined) return { line, ...last, ...this.readHeader(cells) }
    const { length } = this.columns
    while (cells.length < length) cells.push('')
    while (cells.length > length && isBlank(cells[cells.length - 1]!)) cells.pop()
    if (cells.length > length) {
      const reason = `the line has ${cells.length} cells, the header has ${length}: put a text with ${NAMES[this.delimiter!]} in quotes`
      return { line, ...last, reason, cells: cells.slice(0, length) }
    }
    const nameless = this.unnamed.find((place) => !isBlank(cells[place]!))
    if (nameless !== undefined) {
      return { line, ...last, reason: `column ${nameless + 1} has a text and no name: name it, or delete it`, cells }
    }
    return { line, ...last, value: cells }
  }

  private readHeader(cells: string[]): { value: string[] } | { reason: string } {
    const names = cells.map((name) => fromCsvCell(name).trim())
    while (names.at(-1) === '') names.pop()
    this.columns = names
    this.unnamed = [...names.keys()].filter((place) => names[place] === '')
    return names.length > COLUMNS_MAX
      ? { reason: `the first line has more than ${COLUMNS_MAX} cells` }
      : { value: names }
  }
}

type TextLine = Extract<Line, { value: string }>

const NAMES: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

const isBlank = (cell: string): boolean => cell === '' || cell.trim() === ''

/** Gives the delimiter that is most frequent in the header, outside of quotes; a comma where there is none. */
function delimiterOf(header: string): string {
  const outside = header.replaceAll(/"[^"]*"?/g, '')
  const count = (delimiter: string): number => outside.split(delimiter).length
  return DELIMITERS.reduce((most: string, delimiter) => (count(delimiter) > count(most) ? delimiter : most), ',')
}

/** The cells of a record; the last may be in a quote that goes on in the next line. */
class OpenRecord {
  cells: string[] = []
  isOpen = false
  isMisplaced = false
  /** A quote in the middle of a cell was read as a character. */
  private hasPlainQuote = false
  /** The content of the open quote so far. */
  private content = ''

  clear(): void {
    this.cells = []
    this.isOpen = false
    this.isMisplaced = false
    this.hasPlainQuote = false
    this.content = ''
  }

  /** Reads one line, and `end` after it if a quote is still open. */
  read(text: string, end: string, delimiter: string): void {
    const goesOn = this.isOpen
    let at = goesOn ? this.readQuoted(text, 0, 0, delimiter, goesOn) : 0
    while (at <= text.length && !this.isOpen && !this.isMisplaced) {
      if (text[at] === '"') {
        at = this.readQuoted(text, at, at + 1, delimiter, false)
        continue
      }
      const next = endOfCell(text, at, delimiter)
      const cell = text.slice(at, next)
      this.hasPlainQuote ||= cell.includes('"')
      this.cells.push(cell)
      at = next + 1
    }
    if (!this.isOpen) return
    this.content += end
    this.isMisplaced = this.hasPlainQuote
  }

  /** Reads a quoted cell of this line, whose content goes on at `at`, and gives the place of the next cell. */
  private readQuoted(text: string, start: number, from: number, delimiter: string, goesOn: boolean): number {
    this.isOpen = true
    let at = from
    for (let quote = text.indexOf('"', at); quote !== -1; quote = text.indexOf('"', at)) {
      if (text[quote + 1] === '"') {
        this.content += text.slice(at, quote + 1)
        at = quote + 2
        continue
      }
      this.content += text.slice(at, quote)
      const next = endOfCell(text, quote + 1, delimiter)
      const isWhole = isBlank(text.slice(quote + 1, next))
      // A cell such as "Big" news is what it says. Over several lines the quote is rather a stray one.
      if (!isWhole && goesOn) this.isMisplaced = true
      this.hasPlainQuote ||= !isWhole
      this.cells.push(isWhole ? this.content : text.slice(start, next))
      this.content = ''
      this.isOpen = false
      return next + 1
    }
    this.content += text.slice(at)
    return text.length + 1
  }
}

function endOfCell(text: string, at: number, delimiter: string): number {
  const end = text.indexOf(delimiter, at)
  return end === -1 ? text.length : end
}
