/**
 * The first characters of what a spreadsheet runs as a formula. Anyone on the social network can write names and captions,
 * so a CSV file must not run them.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** Numbers, birthdays without a year (--05-17) and handles (@anna.b) run nothing and stay unchanged. */
const HARMLESS = /^[-+@]{0,2}[\p{L}\p{N}_.-]*$/u

/**
 * One cell by RFC 4180. A text that a spreadsheet would run gets a leading apostrophe, as a spreadsheet itself would write
 * it; JSON and NDJSON keep it unchanged.
 */
export function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One record by RFC 4180, with its line break. */
export const toCsvRecord = (cells: readonly unknown[]): string => `${cells.map(toCsvCell).join(',')}\r\n`
