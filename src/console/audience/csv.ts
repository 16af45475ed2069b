import type { VipUser } from '../../interface/audience.ts'

const COLUMNS = [
  'conversationId',
  'cuid',
  'userName',
  'firstName',
  'lastName',
  'birthday',
  'lastPurchaseTimestamp',
  'lastUserMessageTimestamp',
  'lastAppOpenTimestamp',
  'profilePic',
] as const satisfies readonly (keyof VipUser)[]

/** CSV (RFC 4180) with a header, in UTF-8 with the mark by which spreadsheets know it. Times are ISO 8601 in UTC. */
export function toCsv(rows: readonly VipUser[]): string {
  const lines = rows.map((row) =>
    COLUMNS.map((column) => {
      const value = row[column]
      return toCell(typeof value === 'number' ? new Date(value).toISOString() : (value ?? ''))
    }).join(','),
  )
  return `\uFEFF${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`
}

/** What a spreadsheet runs as a formula: the command line's CSV has the same rule, held equal by a test. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** Numbers, birthdays without a year and handles run nothing and stay unchanged. */
const HARMLESS = /^[-+@]{0,2}[\p{L}\p{N}_.-]*$/u

/** One cell; a text that a spreadsheet would run gets an apostrophe before it. */
export function toCell(text: string): string {
  const safe = FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
