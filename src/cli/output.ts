import type { Cli } from './io.js'

export type Row = Record<string, unknown>

/** What a server sent, fit for one line of a terminal: control characters could move its cursor or set its colours. */
export const onOneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')

/** Prints one thing: a line per field on a terminal, else JSON. */
export function printObject(cli: Cli, object: object): void {
  if (cli.asJson()) {
    printJson(cli, object)
    return
  }
  const width = Math.max(...Object.keys(object).map((name) => name.length))
  for (const [name, value] of Object.entries(object)) print(cli, `${name.padEnd(width)}  ${toCell(value)}`)
}

/**
 * Prints a list: a table on a terminal, else JSON. The last column is the one that may hold any script: where its
 * characters are wider than one cell, nothing behind it gets out of line.
 */
export function printList(cli: Cli, rows: Row[], columns: string[], noun: string): void {
  if (cli.asJson()) {
    printJson(cli, rows)
    return
  }
  if (rows.length === 0) {
    print(cli, `There are no ${noun} yet.`)
    return
  }
  const table = [columns, ...rows.map((row) => columns.map((column) => toCell(row[column])))]
  const widths = columns.map((_, index) => Math.max(...table.map((cells) => cells[index]!.length)))
  for (const cells of table) {
    const line = cells.map((cell, index) => (index === columns.length - 1 ? cell : cell.padEnd(widths[index]!)))
    print(cli, line.join('  '))
  }
}

export function print({ stdout }: Pick<Cli, 'stdout'>, line: string): void {
  stdout.write(`${line}\n`)
}

/** For what is said about a result and is not part of it. */
export function note({ stderr }: Pick<Cli, 'stderr'>, line: string): void {
  stderr.write(`${line}\n`)
}

export const printJson = (cli: Cli, value: unknown): void => print(cli, JSON.stringify(value, null, 2))

function toCell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return onOneLine(String(value))
}
