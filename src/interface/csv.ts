// CSV by RFC 4180, as every part of the project writes it. Anyone on the social network can write names and captions,
// so that a file must run none of them as a formula. Importing takes back what is added here: the values of an export
// stay the same.

/** A spreadsheet may split a line at each of these, whatever the separator of the file is and whatever is quoted. */
const SEPARATOR = ',;\t\r\n'
/** The characters that begin a formula. */
const SIGN = '=+\\-@＝＋－＠'
/** The places at which a cell may begin: spaces and quotes before the text are ignored there, apostrophes are not. */
const FORMULA = new RegExp(`(^|[${SEPARATOR}])([ "]*)('*)([${SIGN}])([^${SEPARATOR}]*)`, 'g')
const ESCAPED_FORMULA = new RegExp(`(^|[${SEPARATOR}])([ "]*)'('*)(?=[${SIGN}])`, 'g')
/** A spreadsheet drops these at the beginning of a cell, and a formula may follow. */
const BLANK_FIRST = /^'*[\t\r\n]/
const ESCAPED_BLANK_FIRST = /^'+[\t\r\n]/
/** Numbers, birthdays without a year (--05-17) and handles (@anna.b) run nothing and stay unchanged. */
const HARMLESS = /^[-+@]{0,2}[\p{L}\p{N}_.-]*[ "]*$/u
/** The first two begin what an import would skip: a reason of a file of rejected lines, and a byte order mark. */
const QUOTED = /^[#\uFEFF]|[",;\t\r\n]/

/** Puts an apostrophe before each formula, as a spreadsheet itself would write it, and one more where there are some. */
export function escapeFormulas(text: string): string {
  const escaped = text.replaceAll(FORMULA, (whole, separator, skipped, apostrophes, sign, rest) =>
    apostrophes === '' && HARMLESS.test(sign + rest) ? whole : `${separator}${skipped}'${apostrophes}${sign}${rest}`,
  )
  return BLANK_FIRST.test(escaped) ? `'${escaped}` : escaped
}

/** The text that escapeFormulas was given. */
export function unescapeFormulas(text: string): string {
  if (!text.includes("'")) return text
  return (ESCAPED_BLANK_FIRST.test(text) ? text.slice(1) : text).replaceAll(ESCAPED_FORMULA, '$1$2$3')
}

/** A spreadsheet keeps 15 digits of a number, so that a text of more is written as a formula that gives it. */
export const toTextFormula = (digits: string): string => `"=""${digits}"""`

/** The text that a cell was written for, whether an apostrophe or a formula protects it from spreadsheets. */
export function fromCsvCell(cell: string): string {
  if (!cell.startsWith('="') || !cell.endsWith('"') || cell.length < 3) return unescapeFormulas(cell)
  const parts = cell.slice(2, -1).split('""')
  return parts.some((part) => part.includes('"')) ? unescapeFormulas(cell) : parts.join('"')
}

/** `1.78414E+16`, also with a decimal comma, and `2E16` as databases write it. An id such as `12E4` is none. */
const ROUNDED = /^(?:\d{1,3}[.,]\d{1,20}E[+-]?\d{1,3}|\d{1,3}E[+-]\d{1,3}|\dE[12]\d)$/i

/** True for an id whose digits a spreadsheet has replaced by a rounded number. */
export const isRounded = (id: string): boolean => id.length <= 100 && ROUNDED.test(id.trim())

export const ROUNDED_BY_SPREADSHEET =
  'a spreadsheet has rounded it, and its last digits are lost: format the column as text, and export the file again'

/** One cell. An object is JSON; JSON has an escape of its own for a formula, which leaves the value as it is. */
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

/** One record, with its line break. */
export const toCsvRecord = (cells: readonly unknown[]): string => `${cells.map(toCsvCell).join(',')}\r\n`
