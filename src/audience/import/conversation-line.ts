import type { ConversationLine } from '../../interface/audience.js'
import { unescapeFormulas } from '../../interface/csv.js'
import { isBareDate, parseIsoInstant } from '../../lib/dates.js'
import { limit } from '../../lib/limits.js'
import type { ConversationRow } from '../conversations.store.js'

/** What a field may hold. */
interface Kind {
  rule: string
  holds(value: unknown): boolean
  /** The value that a CSV cell stands for; text that stands for none goes on as text, and is refused as such. */
  fromCell?(cell: string): unknown
}

const ID_CHARS_MAX = 256
const NAME_CHARS_MAX = limit('nameChars')
const PICTURE_CHARS_MAX = limit('pictureChars')
const INSTANT_MAX = 8_640_000_000_000_000 // the last instant that a JavaScript Date holds

const isText = (value: unknown, charsMax: number): boolean =>
  typeof value === 'string' && value.length <= charsMax && !value.includes('\0') && value.isWellFormed()

const ID: Kind = {
  rule: `must be a text of 1 to ${ID_CHARS_MAX} characters, without U+0000 or half of a surrogate pair`,
  holds: (value) => isText(value, ID_CHARS_MAX) && value !== '',
}
const textOf = (charsMax: number): Kind => ({
  rule: `must be a text of at most ${charsMax} characters, without U+0000 or half of a surrogate pair`,
  holds: (value) => isText(value, charsMax),
})
const NAME = textOf(NAME_CHARS_MAX)
const PICTURE = textOf(PICTURE_CHARS_MAX)
const BIRTHDAY: Kind = {
  rule: 'must be a date that exists, YYYY-MM-DD, or --MM-DD where the year is unknown',
  // 2000 is a leap year: a birthday without a year may be 29 February.
  holds: (value) =>
    value === '' || (typeof value === 'string' && isBareDate(value.startsWith('--') ? `2000${value.slice(1)}` : value)),
}
const INSTANT: Kind = {
  rule: 'must be a whole number of milliseconds since the epoch',
  holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= INSTANT_MAX,
  // Digits only: a spreadsheet's 1.73E+12 has lost the rest of the number. The console's own CSV has ISO 8601 for people.
  fromCell: (cell) => (/^\d{1,16}$/.test(cell) ? Number(cell) : (parseUtc(cell) ?? cell)),
}
const parseUtc = (cell: string): number | undefined => (cell.endsWith('Z') ? parseIsoInstant(cell) : undefined)
const AMOUNT: Kind = {
  rule: 'must be a finite number',
  holds: Number.isFinite,
  fromCell: (cell) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : cell),
}
const FLAG: Kind = {
  rule: 'must be true or false',
  holds: (value) => typeof value === 'boolean',
  fromCell: (cell) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell),
}

const FIELDS: Readonly<Record<keyof ConversationLine, readonly [column: keyof ConversationRow, kind: Kind]>> = {
  conversationId: ['conversation_id', ID],
  cuid: ['cuid', ID],
  userName: ['user_name', NAME],
  firstName: ['first_name', NAME],
  lastName: ['last_name', NAME],
  profilePic: ['profile_pic', PICTURE],
  birthday: ['birthday', BIRTHDAY],
  lastPurchaseTimestamp: ['last_purchase_at_ms', INSTANT],
  lastUserMessageTimestamp: ['last_user_message_at_ms', INSTANT],
  lastAppOpenTimestamp: ['last_app_open_at_ms', INSTANT],
  lifetimeValue: ['lifetime_value', AMOUNT],
  vip: ['vip', FLAG],
}
const NEEDED_FIELDS = ['conversationId', 'cuid'] as const
const VIP_NEEDS_WORKSPACE = 'vip is said per workspace: name one with ?workspaceId=…'
const REASON_CHARS_MAX = 400

/** What is wrong with the columns of a CSV, or undefined. `marksVips`: whether the import names a workspace. */
export function findWrongColumns(columns: readonly string[], marksVips: boolean): string | undefined {
  const wrong = findWrongNames(columns, marksVips)
  const seen = new Set<string>()
  const repeated = columns.find((column) => seen.size === seen.add(column).size)
  if (repeated !== undefined) wrong.push(`${quote(repeated)} stands there twice`)
  return wrong.length === 0 ? undefined : shorten(wrong.join('; '))
}

/** The value of a CSV cell; an empty one clears the field. Text loses the apostrophes that an export puts before formulas. */
export function fromCell(column: string, cell: string): unknown {
  if (cell === '') return null
  const kind = FIELDS[column as keyof ConversationLine]?.[1]
  return kind?.fromCell === undefined ? unescapeFormulas(cell) : kind.fromCell(cell)
}

/** An untrusted record as a row, or everything that is wrong with it in one text. `marksVips` as above. */
export function parseConversation(record: unknown, marksVips: boolean): ConversationRow | string {
  if (record === null || typeof record !== 'object' || Array.isArray(record)) {
    return 'the line is not a JSON object: write one object per line, without an array around them'
  }
  const wrong = findWrongNames(Object.keys(record), marksVips)
  for (const [name, value] of Object.entries(record)) {
    const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof ConversationLine][1] : undefined
    const mayBeNull = kind !== ID
    if (kind !== undefined && !(kind.holds(value) || (value === null && mayBeNull))) {
      wrong.push(`${name} ${kind.rule}, not ${value === null ? 'empty' : quote(value)}`)
    }
  }
  return wrong.length === 0 ? toConversationRow(record as ConversationLine) : shorten(wrong.join('; '))
}

/** A sound line as a row: what it names, and nothing else. */
export function toConversationRow(line: ConversationLine): ConversationRow {
  const row: Partial<Record<keyof ConversationRow, unknown>> = {}
  for (const [name, value] of Object.entries(line)) {
    if (value !== undefined) row[FIELDS[name as keyof ConversationLine][0]] = value === '' ? null : value
  }
  if (row.lifetime_value === null) row.lifetime_value = 0
  if (row.vip === null) row.vip = false
  return row as ConversationRow
}

function findWrongNames(names: readonly string[], marksVips: boolean): string[] {
  const unknown = names.filter((name) => !Object.hasOwn(FIELDS, name))
  return [
    ...NEEDED_FIELDS.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...(unknown.length > 0 ? [`${quote(unknown[0]!)} is not a field of an import`] : []),
    ...(names.includes('vip') && !marksVips ? [VIP_NEEDS_WORKSPACE] : []),
  ]
}

const QUOTED_CHARS_MAX = 50
/** What JSON leaves as it is, and a terminal or an editor does not show. */
const INVISIBLE = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029\ufeff]/gu

/** A value as JSON on one line: shortened, with control characters as escapes. */
export function quote(value: unknown): string {
  const isText = typeof value === 'string'
  const full = isText ? value : (JSON.stringify(value) ?? String(value))
  const short = full.length > QUOTED_CHARS_MAX ? `${full.slice(0, QUOTED_CHARS_MAX).toWellFormed()}…` : full
  const shown = isText ? JSON.stringify(short) : short
  return shown.replaceAll(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const shorten = (text: string): string =>
  text.length > REASON_CHARS_MAX ? `${text.slice(0, REASON_CHARS_MAX).toWellFormed()}…` : text
