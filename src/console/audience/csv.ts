import type { VipUser } from '../../interface/audience.ts'
import { toCsvRecord } from '../../interface/csv.ts'

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
  const records = rows.map((row) =>
    toCsvRecord(
      COLUMNS.map((column) => {
        const value = row[column]
        return typeof value === 'number' ? new Date(value).toISOString() : value
      }),
    ),
  )
  return `\uFEFF${toCsvRecord(COLUMNS)}${records.join('')}`
}
