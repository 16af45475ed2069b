import { describe, expect, test } from 'vitest'
import { isBareDate, parseImfFixdate, parseIsoInstant } from './dates.js'

describe('dates that JavaScript would accept', () => {
  test.each(['2026-02-28', '2028-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is a date', (date) => {
    expect(isBareDate(date)).toBe(true)
  })

  test.each([
    '2026-02-29',
    '1900-02-29',
    '2026-02-31',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '20261101',
    '+02026-01-01',
    '2026-11-01 ',
    '2026-11-01Z',
    '',
  ])('%j is not', (date) => {
    expect(isBareDate(date)).toBe(false)
  })

  test('an ISO instant has a real date and time and states its zone', () => {
    const nine = Date.parse('2026-11-20T09:00:00Z')
    for (const same of [
      '2026-11-20T09:00:00Z',
      '2026-11-20T09:00Z',
      '2026-11-20T09:00:00.000Z',
      '2026-11-20T14:30:00+0530',
      '2026-11-20T06:00-03:00',
    ]) {
      expect(parseIsoInstant(same), same).toBe(nine)
    }
    for (const none of [
      '2026-11-20',
      '2026-11-20T09:00:00',
      '2026-02-30T09:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T09:60:00Z',
      '2026-11-20T09:00:60Z',
      '2026-11-20t09:00:00z',
      '2026-11-20T09:00:00+25:00',
      'now',
      '',
    ]) {
      expect(parseIsoInstant(none), none).toBeUndefined()
    }
  })

  test('an IMF-fixdate is exactly what toUTCString writes', () => {
    expect(parseImfFixdate('Fri, 20 Nov 2026 09:00:00 GMT')).toBe(Date.parse('2026-11-20T09:00:00Z'))
    for (const none of [
      'Sat, 20 Nov 2026 09:00:00 GMT',
      'Fri, 20 Nov 2026 09:00:00 UTC',
      'fri, 20 nov 2026 09:00:00 gmt',
      'Fri, 20 Nov 26 09:00:00 GMT',
      '2026-11-20T09:00:00Z',
      '',
    ]) {
      expect(parseImfFixdate(none), none).toBeUndefined()
    }
  })
})
