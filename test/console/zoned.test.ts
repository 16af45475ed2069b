import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { addDays, addMonths, daysBetween, isDay, monthGrid, weekDays } from '../../src/console/days.js'
import {
  offsetOf,
  readWallTime,
  startOfDay,
  toDay,
  toInstant,
  toWallTime,
  type WallTime,
} from '../../src/console/zoned.js'

describe('local times of a time zone', () => {
  test.each([
    ['2026-12-24T18:00', 'Europe/Berlin', { kind: 'once', instant: '2026-12-24T17:00:00.000Z' }],
    ['2027-03-28T02:30', 'Europe/Berlin', { kind: 'never' }],
    ['2027-03-28T03:00', 'Europe/Berlin', { kind: 'once', instant: '2027-03-28T01:00:00.000Z' }],
    [
      '2027-10-31T02:30',
      'Europe/Berlin',
      { kind: 'twice', earlier: '2027-10-31T00:30:00.000Z', later: '2027-10-31T01:30:00.000Z' },
    ],
    // The clock goes back half an hour there.
    [
      '2027-04-04T01:45',
      'Australia/Lord_Howe',
      { kind: 'twice', earlier: '2027-04-03T14:45:00.000Z', later: '2027-04-03T15:15:00.000Z' },
    ],
    // A whole day was skipped.
    ['2011-12-30T12:00', 'Pacific/Apia', { kind: 'never' }],
    ['2026-02-30T10:00', 'UTC', undefined],
    ['soon', 'UTC', undefined],
  ])('%s in %s', (local, zone, read) => expect(readWallTime(local, zone)).toEqual(read))

  test('converting an instant there and back returns it', () => {
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Pacific/Chatham']) {
      const local = toWallTime('2026-12-24T17:45:00.000Z', zone)
      expect(readWallTime(local, zone)).toEqual({ kind: 'once', instant: '2026-12-24T17:45:00.000Z' })
    }
  })

  test('a day begins at its first instant, even without a midnight', () => {
    expect(startOfDay('2026-11-25', 'Europe/Berlin')).toBe('2026-11-24T23:00:00.000Z')
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z')
    expect(toDay('2026-11-24T23:30:00Z', 'Europe/Berlin')).toBe('2026-11-25')
  })

  test('a month has whole weeks from Monday, and adding a month keeps the day or takes the last one', () => {
    const grid = monthGrid('2026-11-15')
    expect([grid[0], grid.at(-1), grid.length]).toEqual(['2026-10-26', '2026-12-06', 42])
    expect(monthGrid('2027-02-10')).toHaveLength(28)
    expect(weekDays('2026-11-22')).toEqual(grid.slice(21, 28))
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect([addDays('2028-02-28', 1), addDays('2026-01-01', -1)]).toEqual(['2028-02-29', '2025-12-31'])
    expect([daysBetween('2026-03-28', '2026-03-30'), isDay('2026-02-30'), isDay('2026-02-28')]).toEqual([
      3,
      false,
      true,
    ])
  })

  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/Sao_Paulo',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Africa/Casablanca',
    'Pacific/Apia',
    'Pacific/Chatham',
    'UTC',
  )
  const minutes = fc.integer({
    min: Date.parse('1990-01-01T00:00Z') / 60_000,
    max: Date.parse('2040-01-01T00:00Z') / 60_000,
  })

  /** Times around the changes of the clock, because random ones are far from them. */
  function nearChange(minute: number, zone: string): number {
    const at = Temporal.Instant.fromEpochMilliseconds(minute * 60_000).toZonedDateTimeISO(zone)
    const change = at.getTimeZoneTransition('next')
    return change === null ? minute : Math.trunc(change.epochMilliseconds / 60_000) + (minute % 240) - 120
  }

  test('match Temporal, at any time and around each change of the clock', () => {
    const iso = (time: Temporal.ZonedDateTime): string => new Date(time.epochMilliseconds).toISOString()
    fc.assert(
      fc.property(zones, minutes, fc.boolean(), (zone, minute, isNear) => {
        const ms = (isNear ? nearChange(minute, zone) : minute) * 60_000
        const instant = new Date(ms).toISOString()
        const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
        expect(offsetOf(instant, zone)).toBe(zoned.offset)
        expect(toDay(instant, zone)).toBe(zoned.toPlainDate().toString())
        expect(toWallTime(instant, zone)).toBe(zoned.toPlainDateTime().toString({ smallestUnit: 'minute' }))
        expect(startOfDay(toDay(instant, zone), zone)).toBe(iso(zoned.startOfDay()))
        // The same local time, and the corresponding instant.
        const plain = Temporal.PlainDateTime.from(new Date(ms).toISOString().slice(0, 16))
        const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
          plain.toZonedDateTime(zone, { disambiguation }),
        )
        const wanted: WallTime = !earlier!.toPlainDateTime().equals(plain)
          ? { kind: 'never' }
          : iso(earlier!) === iso(later!)
            ? { kind: 'once', instant: iso(earlier!) }
            : { kind: 'twice', earlier: iso(earlier!), later: iso(later!) }
        const local = plain.toString({ smallestUnit: 'minute' })
        expect(readWallTime(local, zone)).toEqual(wanted)
        expect(toInstant(local, zone)).toBe(iso(plain.toZonedDateTime(zone, { disambiguation: 'compatible' })))
      }),
      { numRuns: 500 },
    )
  })
})
