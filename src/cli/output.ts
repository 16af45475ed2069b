import { once } from 'node:events'
import stringWidth from 'string-width'
import { toCsvRecord } from './csv.js'
import type { Cli, Format } from './io.js'
import { forTerminal, onOneLine, padEnd, padStart } from './text.js'

export type Row = Record<string, unknown>

/** How a list is shown. JSON and NDJSON have the rows as the server sent them, a table and CSV these columns. */
export interface ListView<T> {
  columns: readonly string[]
  /** Fields of the rows as sent, for CSV in place of `columns`. */
  csvColumns?: readonly string[]
  /** The noun of `There are no … yet.` */
  noun: string
  /** Makes the columns of a row; without it they are its fields. */
  toRow?: (row: T) => Row
}

/** Prints one object: a line per field on a terminal; CSV is a header and one record. */
export function printObject(cli: Cli, object: object): void {
  const format = cli.format()
  if (format === 'table') printFields(cli, object)
  else if (format === 'csv') print(cli, toCsv(Object.keys(object), [object as Row]))
  else printJson(cli, object)
}

function printFields(cli: Cli, object: object): void {
  const width = Math.max(...Object.keys(object).map((name) => stringWidth(name)))
  for (const [name, value] of Object.entries(object)) printLine(cli, `${padEnd(name, width)}  ${toCell(value)}`)
}

/** Prints a list that is in memory. */
export function printList<T extends object>(cli: Cli, rows: readonly T[], view: ListView<T>): void {
  const toRow = view.toRow ?? ((row: T) => row as Row)
  const format = cli.format()
  if (format === 'json') printJson(cli, rows)
  else if (format === 'ndjson') for (const row of rows) printJson(cli, row)
  else if (format === 'csv' && view.csvColumns) print(cli, toCsv(view.csvColumns, rows as readonly Row[]))
  else if (format === 'csv') print(cli, toCsv(view.columns, rows.map(toRow)))
  else if (rows.length === 0) printLine(cli, `There are no ${view.noun} yet.`)
  else printTable(cli, view.columns, rows.map(toRow))
}

/** Right-aligns columns of numbers and those of `right`. */
export function printTable(
  cli: Cli,
  columns: readonly string[],
  rows: readonly Row[],
  { indent = '', right = [] as readonly string[] } = {},
): void {
  const cells = [columns, ...rows.map((row) => columns.map((column) => toCell(row[column])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => stringWidth(line[index]!))))
  const isRight = columns.map(
    (column) => right.includes(column) || rows.every((row) => typeof row[column] === 'number'),
  )
  for (const line of cells) {
    const padded = line.map((cell, index) => (isRight[index] ? padStart : padEnd)(cell, widths[index]!))
    printLine(cli, indent + padded.join('  ').trimEnd())
  }
}

/** Writes to stdout or a file. */
export type Write = (text: string) => Promise<void>

/** Waits while the reader of stdout is slower than the rows come. */
export function writeToStdout({ stdout }: Cli): Write {
  return async (text) => {
    if (!stdout.write(stdout.isTTY ? forTerminal(text) : text)) await once(stdout, 'drain')
  }
}

/** Writes rows as they come and keeps none. Returns their number. */
export async function writeRows<T extends object>(
  write: Write,
  format: Exclude<Format, 'table'>,
  rows: AsyncIterable<T>,
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

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const toCsv = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(toCsvRecord).join('')

/** Escapes control characters on a terminal; elsewhere prints the text unchanged. */
export function print({ stdout }: Pick<Cli, 'stdout'>, text: string): void {
  stdout.write(stdout.isTTY ? forTerminal(text) : text)
}

export const printLine = (cli: Pick<Cli, 'stdout'>, line: string): void => print(cli, `${line}\n`)

/** For messages, which are not part of the result. */
export function note({ stderr }: Pick<Cli, 'stderr'>, line: string): void {
  stderr.write(`${forTerminal(line)}\n`)
}

/** On one line as NDJSON, else indented. */
export const printJson = (cli: Cli, value: unknown): void =>
  printLine(cli, JSON.stringify(value, null, cli.format() === 'ndjson' ? 0 : 2))

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return onOneLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
