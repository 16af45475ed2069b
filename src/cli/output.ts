import { once } from 'node:events'
import stringWidth from 'string-width'
import { toCsvRecord } from '../interface/csv.js'
import type { Cli, Format } from './io.js'
import { paint, type Style, widthOf } from './terminal.js'
import { cut, forTerminal, onOneLine, padEnd, padStart, wrap } from './text.js'

/** The format of a file by its extension. */
export const FORMATS_BY_EXTENSION: Record<string, Exclude<Format, 'table'>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'ndjson',
  '.ndjson': 'ndjson',
}

export type Row = Record<string, unknown>

/** How to show a list. JSON and NDJSON have the rows as the server sent them; tables and CSV have these columns. */
export interface ListView<T> {
  columns: readonly string[]
  /** Columns that a table leaves out, in this order, if there is no room for all. */
  dropFirst?: readonly string[]
  /** Fields of the rows as sent, which CSV uses instead of `columns`. */
  csvColumns?: readonly string[]
  /** The noun in `There are no … yet.` */
  noun: string
  /** Returns the columns of a row. Defaults to its fields. */
  toRow?: (row: T) => Row
}

/** Prints one object: on a terminal one field per line, in CSV a header and one record. */
export function printObject(cli: Cli, object: object): void {
  const format = cli.format()
  if (format === 'table') printFields(cli, object)
  else if (format === 'csv') print(cli, toCsv(Object.keys(object), [object as Row]))
  else printJson(cli, object)
}

/** Prints one line per field. Longer values continue below. */
function printFields(cli: Cli, object: object): void {
  const fields = Object.entries(object).map(([name, value]) => [onOneLine(name), toField(value)] as const)
  const width = Math.max(...fields.map(([name]) => stringWidth(name)))
  const room = widthOf(cli, 'stdout') - width - 2
  for (const [name, value] of fields) {
    const lines = wrap(value, Math.max(room, ROOM_MIN))
    for (const [index, line] of lines.entries()) {
      const heading = paint(cli, 'stdout', 'bold', padEnd(index === 0 ? name : '', width))
      writeSafeLine(cli, `${heading}  ${paint(cli, 'stdout', STYLES[value], line)}`)
    }
  }
}

/** Prints a list that is already in memory. */
export function printList<T extends object>(cli: Cli, rows: readonly T[], view: ListView<T>): void {
  const toRow = view.toRow ?? ((row: T) => row as Row)
  const format = cli.format()
  if (format === 'json') printJson(cli, rows)
  else if (format === 'ndjson') for (const row of rows) printJson(cli, row)
  else if (format === 'csv' && view.csvColumns) print(cli, toCsv(view.csvColumns, rows as readonly Row[]))
  else if (format === 'csv') print(cli, toCsv(view.columns, rows.map(toRow)))
  else if (rows.length === 0) printLine(cli, `There are no ${view.noun} yet.`)
  else printTable(cli, view.columns, rows.map(toRow), { dropFirst: view.dropFirst })
}

/**
 * Prints all rows of a walk, or the first `wanted` and a remark if there are more. Only a table keeps all rows in memory.
 */
export async function printRows<T extends object>(
  cli: Cli,
  rows: AsyncIterable<T>,
  view: ListView<T>,
  wanted?: number,
): Promise<void> {
  const format = cli.format()
  if (wanted === undefined && format !== 'table') {
    const { columns, csvColumns = columns, toRow } = view
    const isMade = format === 'csv' && view.csvColumns === undefined && toRow !== undefined
    async function* made(): AsyncGenerator<Row> {
      for await (const row of rows) yield isMade ? toRow!(row) : (row as Row)
    }
    await writeRows(writeToStdout(cli), format, made(), csvColumns)
    return
  }
  const found = await collect(wanted === undefined ? rows : first(rows, wanted + 1))
  printList(cli, found.slice(0, wanted), view)
  if (wanted !== undefined && found.length > wanted) {
    note(cli, `There are more than these ${wanted}: use --limit to show more, or --all.`)
  }
}

/** The columns with words, which may be shortened. All others are ids, numbers and instants. */
const WORDS = [
  'name',
  'subscription',
  'userName',
  'caption',
  'comment',
  'effects',
  'notes',
  'detail',
  'changes',
  'userAgent',
  'finding',
  'remedy',
]
/** The minimum width of a shortened column. It is wider if a column can be left out instead. */
const WORDS_MIN = 8
const WORDS_LEGIBLE = 20
const ROOM_MIN = 20
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z$/

const STYLES: Record<string, Style> = {
  ...{ PUBLISHED: 'green', connected: 'green', ready: 'green', ok: 'green' },
  ...{ FAILED: 'red', REJECTED: 'red', 'needs-reconnect': 'red', problem: 'red' },
  ...{ WAITING_FOR_APPROVAL: 'yellow', warning: 'yellow' },
}

interface TableOptions {
  indent?: string
  right?: readonly string[]
  dropFirst?: readonly string[] | undefined
}

/**
 * Prints a table and right-aligns columns of numbers and those in `right`. If the table is wider than the terminal, it omits
 * seconds, then spare columns, then shortens words. If it still does not fit, each row becomes a block of lines.
 */
export function printTable(
  cli: Cli,
  columns: readonly string[],
  rows: readonly Row[],
  { indent = '', right = [], dropFirst = [] }: TableOptions = {},
): void {
  const room = widthOf(cli, 'stdout') - indent.length
  const { widths, cells, leftOut } = fitColumns(columns, rows, dropFirst, room)
  if (widths === undefined) {
    printBlocks(cli, columns, rows)
    return
  }
  const shown = [...widths.keys()]
  const isRight = (column: string): boolean =>
    right.includes(column) || rows.every((row) => typeof row[column] === 'number')
  const print = (toText: (column: string) => string, toStyle: (text: string) => Style | undefined): void => {
    const line = shown.map((column, index) => {
      const text = cut(toText(column), widths.get(column)!)
      const pad = isRight(column) ? padStart : index === shown.length - 1 ? (same: string) => same : padEnd
      const padded = pad(text, widths.get(column)!)
      return padded.replace(text, () => paint(cli, 'stdout', toStyle(text), text))
    })
    writeSafeLine(cli, (indent + line.join('  ')).trimEnd())
  }
  print(
    (column) => column,
    () => 'bold',
  )
  for (const index of rows.keys()) {
    print(
      (column) => cells.get(column)![index]!,
      (text) => STYLES[text],
    )
  }
  if (leftOut.length > 0)
    note(cli, `Not shown because the terminal is too narrow: ${leftOut.join(', ')}; --json has everything.`)
}

/**
 * Returns the cells, the columns to show with their widths, and what was left out. The columns are undefined if their
 * minimum widths do not fit.
 */
function fitColumns(columns: readonly string[], rows: readonly Row[], dropFirst: readonly string[], room: number) {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => toCell(row[column]))]))
  const natural = (column: string): number =>
    Math.max(stringWidth(column), ...cells.get(column)!.map((cell) => stringWidth(cell)))
  const atLeast = (wordsMin: number) => (column: string) =>
    WORDS.includes(column) ? Math.min(natural(column), wordsMin) : natural(column)
  const [least, legible] = [atLeast(WORDS_MIN), atLeast(WORDS_LEGIBLE)]
  let shown = [...columns]
  const sum = (widthOfColumn: (column: string) => number): number =>
    shown.reduce((total, column) => total + widthOfColumn(column) + 2, -2)
  if (sum(natural) > room) {
    for (const [column, values] of cells) cells.set(column, values.map(withoutSeconds))
  }
  const leftOut: string[] = []
  for (const column of dropFirst.filter((each) => columns.includes(each))) {
    if (sum(legible) <= room) break
    leftOut.push(column)
    shown = shown.filter((each) => each !== column)
  }
  if (sum(least) > room) return { cells, leftOut }
  const widths = new Map(shown.map((column) => [column, Math.max(least(column), Math.min(natural(column), room))]))
  // Shorten the widest column first.
  for (let over = sum((column) => widths.get(column)!) - room; over > 0; over--) {
    const widest = shown
      .filter((column) => widths.get(column)! > least(column))
      .sort((a, b) => widths.get(b)! - widths.get(a)!)[0]!
    widths.set(widest, widths.get(widest)! - 1)
  }
  return { widths, cells, leftOut }
}

const withoutSeconds = (cell: string): string => cell.replace(INSTANT, '$1 $2Z')

/** Prints each row as lines, with an empty line between rows. */
function printBlocks(cli: Cli, columns: readonly string[], rows: readonly Row[]): void {
  for (const [index, row] of rows.entries()) {
    if (index > 0) printLine(cli, '')
    printFields(cli, Object.fromEntries(columns.map((column) => [column, row[column]])))
  }
}

/** Writes text to stdout or to a file. */
export type Write = (text: string) => Promise<void>

/** Writes to stdout, and waits if its reader is slower than the rows. Escapes control characters like `print`. */
export function writeToStdout({ stdout }: Cli): Write {
  return async (text) => {
    if (!stdout.write(forTerminal(text))) await once(stdout, 'drain')
  }
}

/** Writes rows as they arrive, without keeping them. Returns their number. */
export async function writeRows<T extends object>(
  write: Write,
  format: Exclude<Format, 'table'>,
  rows: AsyncIterable<T> | Iterable<T>,
  csvColumns: readonly (string & keyof T)[],
): Promise<number> {
  let count = 0
  if (format === 'csv') await write(toCsvRecord(csvColumns))
  for await (const row of rows) {
    if (format === 'csv') await write(toCsvRecord(csvColumns.map((column) => row[column])))
    else if (format === 'ndjson') await write(`${JSON.stringify(row)}\n`)
    else await write(`${count === 0 ? '[' : ','}\n${JSON.stringify(row)}`)
    count++
  }
  if (format === 'json') await write(count === 0 ? '[]\n' : '\n]\n')
  return count
}

export async function collect<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Yields at most the first `count` items. */
export async function* first<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  if (count === 0) return
  for await (const item of items) {
    yield item
    if (--count === 0) return
  }
}

const toCsv = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(toCsvRecord).join('')

/** Escapes control characters, also in a pipe, because its reader may show them on a terminal. JSON keeps its meaning. */
export function print({ stdout }: Pick<Cli, 'stdout'>, text: string): void {
  stdout.write(forTerminal(text))
}

/** Prints a line that is already safe for a terminal. It may contain colours. */
const writeSafeLine = ({ stdout }: Pick<Cli, 'stdout'>, line: string): void => {
  stdout.write(`${line}\n`)
}

export const printLine = (cli: Pick<Cli, 'stdout'>, line: string): void => print(cli, `${line}\n`)

/** Prints a message that is not part of the result. Wraps it to the width of a terminal. */
export function note(io: Pick<Cli, 'stdout' | 'stderr' | 'env'>, text: string): void {
  const lines = forTerminal(text).split('\n')
  const shown = io.stderr.isTTY ? lines.flatMap((line) => wrap(line, widthOf(io, 'stderr'))) : lines
  io.stderr.write(`${shown.join('\n')}\n`)
}

/** Prints JSON, on one line for NDJSON, otherwise with indentation. */
export const printJson = (cli: Cli, value: unknown): void =>
  printLine(cli, JSON.stringify(value, null, cli.format() === 'ndjson' ? 0 : 2))

/** Returns the text of a cell. JSON gets spaces where it can wrap. */
const toField = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? onOneLine(JSON.stringify(value, null, 1).replaceAll(/\n */g, ' '))
    : toCell(value)

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return onOneLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
