import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.js'
import type { InsightsWindow } from '../interface/insights.js'

/** Between two pages: what a cursor carries. */
export interface InsightsPosition {
  /** The platform's cursor. */
  after: string
  /** How many campaigns the next page is to ask for, so that a heavy account is not asked for too much on each page. */
  pageSize: number
}

/** What a cursor is good for: it opens in the same list only. */
export interface InsightsCursorScope {
  organizationId: string
  adAccountId: string
  window: InsightsWindow
}

/** Changes with what a cursor carries, so that an earlier one is refused rather than misread. */
const FORMAT = 1
const MAC_BYTES = 16
const CURSOR_CHARS_MAX = 4096

/**
 * The opaque `nextCursor` (interface 2.3): base64url of a MAC and the position. The scope is under the MAC but not in the
 * cursor, so a cursor stays short whatever the ids. `key` is one made for this purpose alone.
 */
export function encodeInsightsCursor(key: Buffer, scope: InsightsCursorScope, position: InsightsPosition): string {
  const payload = Buffer.from(JSON.stringify([position.after, position.pageSize]))
  return Buffer.concat([macOf(key, scope, payload), payload]).toString('base64url')
}

/** Throws validation_failed (`after`, cursor.invalid) when cut, altered, or of another organization, account or window. */
export function decodeInsightsCursor(key: Buffer, scope: InsightsCursorScope, cursor: string): InsightsPosition {
  const bytes = Buffer.from(cursor.slice(0, CURSOR_CHARS_MAX), 'base64url')
  const payload = bytes.subarray(MAC_BYTES)
  const mac = macOf(key, scope, payload)
  const isWhole = bytes.length > MAC_BYTES && timingSafeEqual(mac, bytes.subarray(0, MAC_BYTES))
  // Decoding is lenient about the last character and foreign ones; a cursor is only ever what was given out.
  if (!isWhole || bytes.toString('base64url') !== cursor) throw invalidCursor()
  const [after, pageSize] = JSON.parse(payload.toString('utf8')) as [string, number]
  return { after, pageSize }
}

function macOf(key: Buffer, { organizationId, adAccountId, window }: InsightsCursorScope, payload: Buffer): Buffer {
  const scope = JSON.stringify([FORMAT, organizationId, adAccountId, window.startDate, window.endDate])
  return createHmac('sha256', key).update(scope).update('\n').update(payload).digest().subarray(0, MAC_BYTES)
}

function invalidCursor(): ApiError {
  return cursorError(
    '"after" must be the nextCursor of an answer for the same ad account, "startDate" and "endDate"; leave it out to begin again',
  )
}

/** The platform no longer knows the place that the cursor names. */
export function deadCursor(cause: unknown): ApiError {
  return cursorError('"after" names a place that the ad platform no longer knows: begin again without it', cause)
}

function cursorError(message: string, cause?: unknown): ApiError {
  const context = { label: 'after', key: 'after' }
  return new ApiError('validation_failed', {
    cause,
    details: [{ message, path: ['after'], type: 'cursor.invalid', context }],
  })
}
