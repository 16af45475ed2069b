/**
 * What a spreadsheet may take for a formula: a first character that begins one. Names and captions are written by anyone on
 * the social network, so a file that is opened in a spreadsheet must not run what they hold.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** A number, a birthday without its year (--05-17) and a handle (@anna.b) call nothing, and stay as they are. */
const HARMLESS = /^[-+@]{0,2}[\p{L}\p{N}_.-]*$/u

/**
 * One cell by RFC 4180. A text that a spreadsheet would run gets an apostrophe before it, as a spreadsheet itself would
 * write it; NDJSON and JSON keep every text as it is.
 */
export function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One record by RFC 4180, with its line break. */
export const toCsvRecord = (cells: readonly unknown[]): string => `${cells.map(toCsvCell).join(',')}\r\n`
