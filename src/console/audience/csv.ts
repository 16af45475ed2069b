import type { VipUser } from '../../interface/audience.ts'
import { toCsvFile } from '../csv.ts'

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

/** A row for each person below a header. Times are ISO 8601 in UTC. */
export const toCsv = (rows: readonly VipUser[]): string =>
  toCsvFile([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => toCell(row[column])))])

const toCell = (value: string | number | undefined): string | undefined =>
  typeof value === 'number' ? new Date(value).toISOString() : value
