import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ApiError } from '../errors.js'
import { decodeInsightsCursor, encodeInsightsCursor } from './insights-pager.js'

const KEY = Buffer.alloc(32, 7)
const SCOPE = {
  organizationId: 'org_1',
  adAccountId: '41',
  window: { startDate: '2026-11-01', endDate: '2026-11-02' },
}
const POSITION = { after: 'QVFIUmpq', pageSize: 5 }

const refusal = (cursor: string, scope = SCOPE, key = KEY): unknown => {
  try {
    return decodeInsightsCursor(key, scope, cursor)
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.details?.[0]?.type, error.details?.[0]?.path] : error
  }
}
const INVALID = ['validation_failed', 'cursor.invalid', ['after']]

it('interface 4.2.2: a cursor opens where it was issued, whatever position it contains', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 100 }), (after, pageSize) => {
      const cursor = encodeInsightsCursor(KEY, SCOPE, { after, pageSize })
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(decodeInsightsCursor(KEY, SCOPE, cursor)).toEqual({ after, pageSize })
    }),
  )
})

it('is short, and depends only on the position', () => {
  const cursor = encodeInsightsCursor(KEY, SCOPE, POSITION)
  expect(cursor.length).toBeLessThan(50)
  expect(encodeInsightsCursor(KEY, SCOPE, POSITION)).toBe(cursor)
})

it.each([
  ['organization', { ...SCOPE, organizationId: 'org_2' }],
  ['account', { ...SCOPE, adAccountId: '42' }],
  ['start', { ...SCOPE, window: { ...SCOPE.window, startDate: '2026-10-31' } }],
  ['end', { ...SCOPE, window: { ...SCOPE.window, endDate: '2026-11-03' } }],
  ['split between organization and account', { ...SCOPE, organizationId: 'org_', adAccountId: '141' }],
])('a cursor of another %s is refused', (_name, scope) => {
  expect(refusal(encodeInsightsCursor(KEY, SCOPE, POSITION), scope)).toEqual(INVALID)
})

it('a cursor signed with another key is refused', () => {
  expect(refusal(encodeInsightsCursor(Buffer.alloc(32, 8), SCOPE, POSITION))).toEqual(INVALID)
})

it('a cursor truncated or altered at any place is refused', () => {
  const cursor = encodeInsightsCursor(KEY, SCOPE, POSITION)
  for (let at = 0; at < cursor.length; at++) {
    expect(refusal(cursor.slice(0, at))).toEqual(INVALID)
    expect(refusal(cursor.slice(at + 1))).toEqual(INVALID)
    for (const other of ['A', 'B', '_', '=', '!', ' ', 'é']) {
      if (cursor[at] === other) continue
      expect(refusal(cursor.slice(0, at) + other + cursor.slice(at + 1))).toEqual(INVALID)
    }
  }
})

it.each([
  '',
  'null',
  '=',
  '==',
  `${encodeInsightsCursor(KEY, SCOPE, POSITION)}=`,
  'A'.repeat(1_000_000),
])('a malformed cursor is refused (case %#)', (cursor) => {
  expect(refusal(cursor)).toEqual(INVALID)
})
