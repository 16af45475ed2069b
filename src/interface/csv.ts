// CSV as in RFC 4180, for every part of the project. Anyone on the social network can choose names and captions, so a
// spreadsheet must not run any of them as a formula. An import removes what is added here, so exported values are imported
// unchanged.

/** A spreadsheet may split a line at each of these, whatever the file's separator and quotes are. */
const SEPARATOR = ',;\t\r\n'
/** The characters that begin a formula. */
const SIGN = '=+\\-@＝＋－＠'
/** A formula wherever a cell may begin. Spreadsheets ignore spaces and quotes before it, but not apostrophes. */
const FORMULA = new RegExp(`(^|[${SEPARATOR}])([ "]*)('*)([${SIGN}])([^${SEPARATOR}]*)`, 'g')
const ESCAPED_FORMULA = new RegExp(`(^|[${SEPARATOR}])([ "]*)'('*)(?=[${SIGN}])`, 'g')
/** A spreadsheet drops these at the start of a cell, and a formula may follow. */
const BLANK_FIRST = /^'*[\t\r\n]/
const ESCAPED_BLANK_FIRST = /^'+[\t\r\n]/
/** Numbers, birthdays without a year (--05-17) and handles (@anna.b) are not formulas and stay unchanged. */
const HARMLESS = /^[-+@]{0,2}[\p{L}\p{N}_.-]*[ "]*$/u
/**
 * Text that needs quotes. At the start of a line, an import would take a # for a rejection reason, and skip a byte
 * order mark.
 */
const QUOTED = /^[#\uFEFF]|[",;\t\r\n]/

/**
 * Puts an apostrophe before each formula, as spreadsheets themselves do, even if there are apostrophes already.
 */
export function escapeFormulas(text: string): string {
  const escaped = text.replaceAll(FORMULA, (whole, separator, skipped, apostrophes, sign, rest) =>
    apostrophes === '' && HARMLESS.test(sign + rest) ? whole : `${separator}${skipped}'${apostrophes}${sign}${rest}`,
  )
  return BLANK_FIRST.test(escaped) ? `'${escaped}` : escaped
}

/** Reverses escapeFormulas. */
export function unescapeFormulas(text: string): string {
  if (!text.includes("'")) return text
  return (ESCAPED_BLANK_FIRST.test(text) ? text.slice(1) : text).replaceAll(ESCAPED_FORMULA, '$1$2$3')
}

/** Writes digits as a formula that returns text: a spreadsheet keeps only 15 digits of a number. */
export const toTextFormula = (digits: string): string => `"=""${digits}"""`

/** Returns the original text of a cell, whether an apostrophe or a formula protects it from spreadsheets. */
export function fromCsvCell(cell: string): string {
  if (!cell.startsWith('="') || !cell.endsWith('"') || cell.length < 3) return unescapeFormulas(cell)
  const parts = cell.slice(2, -1).split('""')
  return parts.some((part) => part.includes('"')) ? unescapeFormulas(cell) : parts.join('"')
}

/**
 * Matches `1.78414E+16`, with a decimal point or comma, and `2E16` as databases write it, but not an id such as
 * `12E4`.
 */
const ROUNDED = /^(?:\d{1,3}[.,]\d{1,20}E[+-]?\d{1,3}|\d{1,3}E[+-]\d{1,3}|\dE[12]\d)$/i

/** Returns whether a spreadsheet has replaced the digits of an id with a rounded number. */
export const isRounded = (id: string): boolean => id.length <= 100 && ROUNDED.test(id.trim())

export const ROUNDED_BY_SPREADSHEET =
  'a spreadsheet rounded it, and its last digits are lost: format the column as text, and export the file again'

/** Converts a value to a cell. An object becomes JSON, in which formulas are escaped without changing the value. */
export function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text =
    typeof value === 'object'
      ? escapeInJson(JSON.stringify(value))
      : typeof value === 'string'
        ? escapeFormulas(value)
        : String(value)
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const JSON_FORMULA = new RegExp(`([,;])([ "]*)([${SIGN}])`, 'g')

function escapeInJson(json: string): string {
  return json.replaceAll(JSON_FORMULA, (whole, separator, skipped, sign, offset) => {
    const isDigit = /\d/.test(json[offset + whole.length] ?? '')
    const isNumber = separator === ',' && skipped === '' && sign === '-' && isDigit
    return isNumber ? whole : `${separator}${skipped}\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Converts cells to a record with its line break. */
export const toCsvRecord = (cells: readonly unknown[]): string => `${cells.map(toCsvCell).join(',')}\r\n`
