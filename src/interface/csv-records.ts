import { fromCsvCell } from './csv.js'
import type { Line } from './text-lines.js'

/** A record of a file: its line, its last line if it spans several, and its value or the reason for refusing it. */
export type Numbered<T> = { line: number; lastLine?: number; value: T } | Refused
interface Refused {
  line: number
  lastLine?: number
  reason: string
}

/**
 * The cells of a record, one per column. A record with too many cells is refused but keeps those that have a column.
 */
export type CsvRecord = { line: number; lastLine?: number; value: string[] } | (Refused & { cells?: string[] })

/** The message for a file without records, so that no one thinks that its lines were lost. */
export const NOTHING_TO_IMPORT = 'The file has nothing to import: no line below its header contains a value.'

/** Delimiters. Spreadsheets in countries with decimal commas write semicolons. */
const DELIMITERS = [',', ';', '\t'] as const

const RECORD_CHARS_MAX = 1024 * 1024
/**
 * A file with more columns is not one that we know. Names are compared with each other, so the number must be
 * bounded.
 */
const COLUMNS_MAX = 1_000

const UNCLOSED = 'a quote is opened but never closed'
const MISPLACED = 'a quote is misplaced: put the whole cell in quotes and double each quote inside it'

const REJECT_REASON = /^# line \d+: /
/** Returns whether a line is not data but the reason above a rejected line. */
export const isRejectReason = (text: string): boolean => text.startsWith('# line ') && REJECT_REASON.test(text)

/** Returns the separator that a line before the header declares, as Excel writes it; '' if we do not support it. */
const readSeparator = (text: string): string | undefined => {
  const named = text.length > 100 ? undefined : /^"?sep=(.)"?[,;\t]*$/i.exec(text)?.[1]
  return named === undefined ? undefined : (DELIMITERS.find((delimiter) => delimiter === named) ?? '')
}

const hasOnlySeparators = (text: string): boolean => text.replaceAll(/[,;\t"]/g, '').trim() === ''

/** Returns whether a line may come before the header. */
export const isBeforeHeader = (text: string): boolean =>
  isRejectReason(text) || hasOnlySeparators(text) || readSeparator(text) !== undefined

/**
 * Reads the records of a CSV file line by line; the first one has the column names. Lines without text in any cell
 * are skipped, missing cells are empty, and empty cells beyond the last column are dropped. A quote in the middle of
 * a cell is an ordinary character. If the quotes of a record are inconsistent, only its first line is refused, and
 * the following lines are read as separate records: one stray quote costs one line, not the rest of the file.
 *
 * A quoted cell may span lines only in a record without quotes in the middle of cells. Thus no line that was read
 * inside an open quote opens one itself when it is read again, and the work grows no faster than the file.
 */
export class CsvRecords {
  private columns: string[] | undefined
  /** The positions of columns without a name. */
  private unnamed: number[] = []
  private delimiter: string | undefined
  private readonly cells = new OpenRecord()
  /** The lines of an incomplete record, in which a quote is still open. */
  private open: TextLine[] = []
  private openChars = 0;

  /**
   * Yields the records that the lines complete, and undefined for a skipped line, so that the caller can yield to
   * other work.
   */
  *push(lines: readonly Line[]): Generator<CsvRecord | undefined> {
    for (const line of lines) {
      const isPlain =
        this.columns !== undefined && this.open.length === 0 && 'value' in line && !line.value.includes('"')
      if (!isPlain) yield* this.read([line])
      else if (isRejectReason(line.value)) yield undefined
      else yield this.toRecord([line], line.value.split(this.delimiter!))
    }
  }

  /** Yields the remaining records after the last line. */
  *end(): Generator<CsvRecord | undefined> {
    while (this.open.length > 0) {
      const [first, ...rest] = this.take()
      yield { line: first!.line, reason: UNCLOSED }
      yield* this.read(rest.reverse())
    }
  }

  /** `todo` is in reverse order. */
  private *read(todo: Line[]): Generator<CsvRecord | undefined> {
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      let wrong: string | undefined
      if ('reason' in next) {
        if (this.open.length === 0) {
          yield next
          continue
        }
        // No later line can complete the open record.
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

  /**
   * Returns whether to skip a line between records: a reason for a rejection, or a line before the header that has no
   * names.
   */
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

  /** Returns the record of these cells; undefined if they contain no text. */
  private toRecord(lines: readonly TextLine[], cells: string[]): CsvRecord | undefined {
    if (isBlank(cells[0]!) && cells.every(isBlank)) return undefined
    const { line } = lines[0]!
    const last = lines.length > 1 ? { lastLine: lines[lines.length - 1]!.line } : {}
    if (this.columns === undefined) return { line, ...last, ...this.readHeader(cells) }
    const { length } = this.columns
    while (cells.length < length) cells.push('')
    while (cells.length > length && isBlank(cells[cells.length - 1]!)) cells.pop()
    if (cells.length > length) {
      const reason = `the line has ${cells.length} cells, but the header has ${length}: put any text that contains ${NAMES[this.delimiter!]} in quotes`
      return { line, ...last, reason, cells: cells.slice(0, length) }
    }
    const nameless = this.unnamed.find((place) => !isBlank(cells[place]!))
    if (nameless !== undefined) {
      return { line, ...last, reason: `column ${nameless + 1} has text but no name: name it, or delete it`, cells }
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

/** Returns the most frequent delimiter in the header outside of quotes; a comma if there is none. */
function delimiterOf(header: string): string {
  const outside = header.replaceAll(/"[^"]*"?/g, '')
  const count = (delimiter: string): number => outside.split(delimiter).length
  return DELIMITERS.reduce((most: string, delimiter) => (count(delimiter) > count(most) ? delimiter : most), ',')
}

/** The cells of a record; the last one may be a quoted cell that continues on the next line. */
class OpenRecord {
  cells: string[] = []
  isOpen = false
  isMisplaced = false
  /** True if a quote in the middle of a cell was read as a character. */
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

  /** Reads one line, and appends `end` if a quote is still open. */
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

  /** Reads a quoted cell whose content continues at `from`, and returns the position of the next cell. */
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
      // A cell such as "Big" news is taken literally. Across several lines, the quote is more likely a stray one.
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
