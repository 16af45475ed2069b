import { describe, expect, test } from 'vitest'
import { addMonths, monthGrid, readWallTime, startOfDay, toDay, toWallTime, weekDays } from '../../src/console/zoned.js'

describe('times on the wall of a time zone', () => {
  test.each([
    ['2026-12-24T18:00', 'Europe/Berlin', { kind: 'once', instant: '2026-12-24T17:00:00.000Z' }],
    ['2027-03-28T02:30', 'Europe/Berlin', { kind: 'never' }],
    ['2027-03-28T03:00', 'Europe/Berlin', { kind: 'once', instant: '2027-03-28T01:00:00.000Z' }],
    [
      '2027-10-31T02:30',
      'Europe/Berlin',
      { kind: 'twice', earlier: '2027-10-31T00:30:00.000Z', later: '2027-10-31T01:30:00.000Z' },
    ],
    // Half an hour is put back there.
    [
      '2027-04-04T01:45',
      'Australia/Lord_Howe',
      { kind: 'twice', earlier: '2027-04-03T14:45:00.000Z', later: '2027-04-03T15:15:00.000Z' },
    ],
    // A whole day was left out.
    ['2011-12-30T12:00', 'Pacific/Apia', { kind: 'never' }],
    ['2026-02-30T10:00', 'UTC', undefined],
    ['soon', 'UTC', undefined],
  ])('%s in %s', (local, zone, read) => expect(readWallTime(local, zone)).toEqual(read))

  test('an instant there and back is the same', () => {
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Pacific/Chatham']) {
      const local = toWallTime('2026-12-24T17:45:00.000Z', zone)
      expect(readWallTime(local, zone)).toEqual({ kind: 'once', instant: '2026-12-24T17:45:00.000Z' })
    }
  })

  test('a day begins where it is, also without a midnight', () => {
    expect(startOfDay('2026-11-25', 'Europe/Berlin')).toBe('2026-11-24T23:00:00.000Z')
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z')
    expect(toDay('2026-11-24T23:30:00Z', 'Europe/Berlin')).toBe('2026-11-25')
  })

  test('a month has whole weeks from Monday, and a month on is the same day or the last', () => {
    const grid = monthGrid('2026-11-15')
    expect([grid[0], grid.at(-1), grid.length]).toEqual(['2026-10-26', '2026-12-06', 42])
    expect(monthGrid('2027-02-10')).toHaveLength(28)
    expect(weekDays('2026-11-22')).toEqual(grid.slice(21, 28))
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
  })
})
