import type { ApiError } from '../errors.js'
import { encodeCursor, readCursor } from '../http/cursor.js'
import { cursorError } from '../http/detail.js'
import type { InsightsWindow } from './insights-window.js'

/** Between two pages: what a cursor carries. */
export interface InsightsPosition {
  /** The platform's cursor. */
  after: string
  /** How many campaigns the next page is to ask for, so that a heavy account is not asked for too much on each page. */
  pageSize: number
}

/** The list of a cursor: it opens in no other one. */
export interface InsightsCursorScope {
  organizationId: string
  adAccountId: string
  window: InsightsWindow
}

/** Changes with what a cursor carries, so that an earlier one is refused rather than misread. */
const FORMAT = 1

/** The opaque `nextCursor` (interface 2.3). */
export const encodeInsightsCursor = (key: Buffer, scope: InsightsCursorScope, position: InsightsPosition): string =>
  encodeCursor(key, macScope(scope), [position.after, position.pageSize])

/** Throws validation_failed (`after`, cursor.invalid) when cut, altered, or of another organization, account or window. */
export function decodeInsightsCursor(key: Buffer, scope: InsightsCursorScope, cursor: string): InsightsPosition {
  const [after, pageSize] = readCursor<[string, number]>(
    key,
    macScope(scope),
    cursor,
    'the nextCursor of an answer for the same ad account, "startDate" and "endDate"',
  )!
  return { after, pageSize }
}

const macScope = ({ organizationId, adAccountId, window }: InsightsCursorScope): readonly unknown[] => [
  FORMAT,
  organizationId,
  adAccountId,
  window.startDate,
  window.endDate,
]

/** The platform no longer knows the place that the cursor names. */
export function deadCursor(cause: unknown): ApiError {
  return cursorError('names a place that the ad platform no longer knows: begin again without it', cause)
}
