import type { ConversationLine } from '../../interface/audience.js'
import { fromCsvCell } from '../../interface/csv.js'
import { toShellWord } from '../../lib/shell-word.js'
import { type ConversationRow, LINE_FIELDS, REQUIRED_FIELDS } from '../fields.js'

export const isField = (name: string): boolean => Object.hasOwn(LINE_FIELDS, name)

const VIP_NEEDS_WORKSPACE = 'vip belongs to a workspace: name one with ?workspaceId=…'
const REASON_CHARS_MAX = 400

/** Returns what is wrong with the columns of a CSV, if anything. `marksVips` is true if the import names a workspace. */
export function findWrongColumns(columns: readonly string[], marksVips: boolean): string | undefined {
  const wrong = findWrongNames(columns, marksVips)
  const seen = new Set<string>()
  const repeated = columns.find((column) => seen.size === seen.add(column).size)
  if (repeated !== undefined) wrong.push(`${quote(repeated)} appears twice`)
  return wrong.length === 0 ? undefined : shorten(wrong.join('; '))
}

/** Returns the value of a CSV cell; an empty cell clears the field. Text loses the protection that an export adds. */
export function fromCell(column: string, cell: string): unknown {
  if (cell === '') return null
  const text = fromCsvCell(cell)
  return LINE_FIELDS[column as keyof ConversationLine]?.check.fromCell?.(text) ?? text
}

/** Parses an untrusted record to a row, or to one text with everything that is wrong. `marksVips` as above. */
export function parseConversation(record: unknown, marksVips: boolean): ConversationRow | string {
  if (record === null || typeof record !== 'object' || Array.isArray(record)) {
    return 'the line is not a JSON object: write one object per line, without an array around them'
  }
  const names = Object.keys(record)
  const wrong = findWrongNames(names, marksVips)
  if (wrong.length > 0) wrong.push(...adviseOn(names))
  for (const [name, value] of Object.entries(record)) {
    if (!Object.hasOwn(LINE_FIELDS, name)) continue
    const { check, isRequired } = LINE_FIELDS[name as keyof ConversationLine]
    if (check.holds(value) || (value === null && !isRequired)) continue
    const known = check.explain?.(value)
    if (known !== undefined) wrong.push(`${name} cannot be ${quote(value)}: ${known}`)
    else wrong.push(`${name} ${check.rule}, not ${value === null ? 'empty' : quote(value)}`)
  }
  return wrong.length === 0 ? toConversationRow(record as ConversationLine) : shorten(wrong.join('; '))
}

/** Converts a valid line to a row with what it names, and nothing else. */
export function toConversationRow(line: ConversationLine): ConversationRow {
  const row: Partial<Record<keyof ConversationRow, unknown>> = {}
  for (const [name, value] of Object.entries(line)) {
    if (value === undefined) continue
    const { column, empty = null } = LINE_FIELDS[name as keyof ConversationLine]
    row[column] = value === '' || value === null ? empty : value
  }
  return row as unknown as ConversationRow
}

function findWrongNames(names: readonly string[], marksVips: boolean): string[] {
  const unknown = names.filter((name) => !Object.hasOwn(LINE_FIELDS, name))
  return [
    ...REQUIRED_FIELDS.filter(({ name }) => !names.includes(name)).map(({ name }) => `${name} is missing`),
    ...(unknown.length > 0 ? [`${quote(unknown[0]!)} is not a field of an import`] : []),
    ...names.flatMap((name) => {
      const { needs } = Object.hasOwn(LINE_FIELDS, name) ? LINE_FIELDS[name as keyof ConversationLine] : {}
      return needs === undefined || names.includes(needs) ? [] : [`${name} requires ${needs}: send both`]
    }),
    ...(names.includes('vip') && !marksVips ? [VIP_NEEDS_WORKSPACE] : []),
  ]
}

/** Explains how to map a name that is not a field to one that the line lacks, or how to leave it out. */
function adviseOn(names: readonly string[]): string[] {
  const theirs = names.find((name) => !isField(name))
  // A command with characters that a terminal hides or obeys would mislead.
  if (theirs === undefined || theirs.length > QUOTED_CHARS_MAX || quote(theirs) !== `"${theirs}"`) return []
  const lacking = REQUIRED_FIELDS.find(({ name }) => !names.includes(name))?.name ?? 'FIELD'
  const [mapped, leftOut] = [lacking, ''].map((ours) => `--map ${toShellWord(`${theirs}=${ours}`)}`)
  return [`use ${mapped} or, to leave it out, ${leftOut} (over HTTP: columns)`]
}

const QUOTED_CHARS_MAX = 50
/** JSON leaves these as they are, and terminals and editors do not show them. */
const INVISIBLE = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029\ufeff]/gu

/** Formats a value as JSON on one line, shortened and with control characters escaped. */
export function quote(value: unknown): string {
  const isText = typeof value === 'string'
  const full = isText ? value : (JSON.stringify(value) ?? String(value))
  const short = full.length > QUOTED_CHARS_MAX ? `${full.slice(0, QUOTED_CHARS_MAX).toWellFormed()}…` : full
  const shown = isText ? JSON.stringify(short) : short
  return shown.replaceAll(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const shorten = (text: string): string =>
  text.length > REASON_CHARS_MAX ? `${text.slice(0, REASON_CHARS_MAX).toWellFormed()}…` : text
