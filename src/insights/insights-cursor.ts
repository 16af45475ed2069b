import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.js'
import type { InsightsWindow } from '../interface/insights.js'
import type { InsightsPosition } from './insights-pager.js'

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
  return new ApiError('validation_failed', {
    details: [
      {
        message:
          '"after" must be the nextCursor of an answer for the same ad account, "startDate" and "endDate"; leave it out to begin again',
        path: ['after'],
        type: 'cursor.invalid',
        context: { label: 'after', key: 'after' },
      },
    ],
  })
}
