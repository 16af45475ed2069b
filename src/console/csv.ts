import { toCsvCell, toTextFormula } from '../interface/csv.ts'

const toSafeCell = (value: unknown): string =>
  typeof value === 'string' && /^\d{16,}$/.test(value) ? toTextFormula(value) : toCsvCell(value)

const toRecord = (cells: readonly unknown[]): string => `${cells.map(toSafeCell).join(',')}\r\n`

/** Encodes records as UTF-8 with a byte order mark, which spreadsheets need. Programs use the API. */
export const toCsvFile = (records: readonly (readonly unknown[])[]): string => `\uFEFF${records.map(toRecord).join('')}`

/** Makes a string safe to use in a file name. */
export const fileNameOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '-')
