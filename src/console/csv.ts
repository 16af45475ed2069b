import { toCsvRecord } from '../interface/csv.ts'

/** The records as a file in UTF-8, with the mark by which spreadsheets know it. */
export const toCsvFile = (records: readonly (readonly unknown[])[]): string =>
  `\uFEFF${records.map(toCsvRecord).join('')}`
