import type { AudienceExport, AudienceRow } from '../../interface/generated/types.ts'
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
] as const satisfies readonly (keyof AudienceRow)[]

/** A header, then a row per person. Times are ISO 8601 in UTC; values are plain numbers with the currency beside them. */
export const toCsv = ({ items, currency }: Pick<AudienceExport, 'items' | 'currency'>): string =>
  toCsvFile([
    [...COLUMNS, 'lifetimeValue', 'currency', 'rank'],
    ...items.map((row) => [
      ...COLUMNS.map((column) => toCell(row[column])),
      row.lifetimeValue,
      currency ?? undefined,
      row.rank ?? undefined,
    ]),
  ])

const toCell = (value: string | number | undefined): string | undefined =>
  typeof value === 'number' ? new Date(value).toISOString() : value
