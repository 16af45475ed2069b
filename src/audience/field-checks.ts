import { isRounded, ROUNDED_BY_SPREADSHEET } from '../interface/csv.js'
import { isBareDate, parseIsoInstant } from '../lib/dates.js'
import { limit } from '../lib/limits.js'

/** A rule for the value of a field in an import. */
export interface FieldCheck {
  /** The end of the sentence that rejects a line. */
  rule: string
  /** A more specific end of that sentence for some values. */
  explain?(value: unknown): string | undefined
  holds(value: unknown): boolean
  /**
   * Returns the value of a CSV cell, or the cell itself, which the rule then rejects. Without this function a cell is text.
   */
  fromCell?(cell: string): unknown
}

const ID_CHARS_MAX = 256
const INSTANT_MAX = 8_640_000_000_000_000 // the last instant that a JavaScript Date holds

const isText = (value: unknown, charsMax: number): boolean =>
  typeof value === 'string' && value.length <= charsMax && !value.includes('\0') && value.isWellFormed()

const textOf = (charsMax: number): FieldCheck => ({
  rule: `must be a string of at most ${charsMax} characters, without U+0000 or half of a surrogate pair`,
  holds: (value) => isText(value, charsMax),
})

const parseUtc = (cell: string): number | undefined => (cell.endsWith('Z') ? parseIsoInstant(cell) : undefined)

export const ID: FieldCheck = {
  rule: `must be a string of 1 to ${ID_CHARS_MAX} characters, without U+0000 or half of a surrogate pair`,
  holds: (value) => isText(value, ID_CHARS_MAX) && value !== '' && !isRounded(value as string),
  explain: (value) => (typeof value === 'string' && isRounded(value) ? ROUNDED_BY_SPREADSHEET : undefined),
}

export const NAME = textOf(limit('nameChars'))

export const PICTURE = textOf(limit('pictureChars'))

export const BIRTHDAY: FieldCheck = {
  rule: 'must be a date that exists, YYYY-MM-DD, or --MM-DD if the year is unknown',
  // 2000 is a leap year: a birthday without a year may be 29 February.
  holds: (value) =>
    value === '' || (typeof value === 'string' && isBareDate(value.startsWith('--') ? `2000${value.slice(1)}` : value)),
}

export const INSTANT: FieldCheck = {
  rule: 'must be a whole number of milliseconds since the epoch',
  holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= INSTANT_MAX,
  // Digits only: a spreadsheet's 1.73E+12 has lost the rest of the number. The console's own CSV has ISO 8601 for people.
  fromCell: (cell) => (/^\d{1,16}$/.test(cell) ? Number(cell) : (parseUtc(cell) ?? cell)),
}

export const AMOUNT: FieldCheck = {
  rule: 'must be a finite number',
  holds: Number.isFinite,
  fromCell: (cell) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : cell),
}

export const FLAG: FieldCheck = {
  rule: 'must be true or false',
  holds: (value) => typeof value === 'boolean',
  fromCell: (cell) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell),
}
