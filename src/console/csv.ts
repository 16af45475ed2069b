import { toCsvCell, toTextFormula } from '../interface/csv.ts'

const toSafeCell = (value: unknown): string =>
  typeof value === 'string' && /^\d{16,}$/.test(value) ? toTextFormula(value) : toCsvCell(value)

const toRecord = (cells: readonly unknown[]): string => `${cells.map(toSafeCell).join(',')}\r\n`

/** The records as a file in UTF-8, with the mark by which spreadsheets know it. Programs use the API. */
export const toCsvFile = (records: readonly (readonly unknown[])[]): string => `\uFEFF${records.map(toRecord).join('')}`

/** A text as a part of the name of a file. */
export const fileNameOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '-')
