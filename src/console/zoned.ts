import { create as createPlain, equals, toZonedDateTime } from 'temporal-polyfill/fns/PlainDateTime'
import {
  create as createZoned,
  offset,
  startOfDay as startOfZonedDay,
  toBasicString,
  toPlainDateTime,
  type Record as Zoned,
} from 'temporal-polyfill/fns/ZonedDateTime'

// The functions of the polyfill one by one: its classes are twice as large.

/** What a wall-clock time of a time zone is: once, never (the clock leaps over it), or twice (it is set back). */
export type WallTime =
  | { kind: 'once'; instant: string }
  | { kind: 'never' }
  | { kind: 'twice'; earlier: string; later: string }

/** `local` as a date and time without a zone, such as `2026-03-29T02:30`; undefined for what is no such text. */
export function readWallTime(local: string, timeZone: string): WallTime | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/.exec(local)
  if (parts === null) return undefined
  const [year, month, day, hour, minute] = parts.slice(1).map(Number) as [number, number, number, number, number]
  let plain: ReturnType<typeof createPlain>
  try {
    plain = createPlain(year, month, day, hour, minute)
  } catch {
    return undefined
  }
  try {
    return { kind: 'once', instant: toIso(toZonedDateTime(plain, timeZone, { disambiguation: 'reject' })) }
  } catch {
    const earlier = toZonedDateTime(plain, timeZone, { disambiguation: 'earlier' })
    const later = toZonedDateTime(plain, timeZone, { disambiguation: 'later' })
    return equals(toPlainDateTime(earlier), plain)
      ? { kind: 'twice', earlier: toIso(earlier), later: toIso(later) }
      : { kind: 'never' }
  }
}

const toIso = ({ epochMilliseconds }: Zoned): string => new Date(epochMilliseconds).toISOString()

const zoned = (instant: string | number, timeZone: string): Zoned =>
  createZoned(BigInt(new Date(instant).getTime()) * 1_000_000n, timeZone)

const MINUTE_CHARS = '2026-03-29T02:30'.length
const DAY_CHARS = '2026-03-29'.length

/** The instant on the wall clock of the time zone, to the minute, as `<input type=datetime-local>` has it. */
export const toWallTime = (instant: string, timeZone: string): string =>
  toBasicString(zoned(instant, timeZone)).slice(0, MINUTE_CHARS)

/** Its offset from UTC at that instant, such as `+02:00`. */
export const offsetOf = (instant: string, timeZone: string): string => offset(zoned(instant, timeZone))

/** Its date in the time zone, `YYYY-MM-DD`. */
export const toDay = (instant: string | number, timeZone: string): string =>
  toBasicString(zoned(instant, timeZone)).slice(0, DAY_CHARS)

/** When the day begins there: not at midnight where the clock leaps over it. */
export function startOfDay(day: string, timeZone: string): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return toIso(startOfZonedDay(toZonedDateTime(createPlain(year, month, date, 12), timeZone)))
}

// Days of the calendar, whatever the zone: in UTC each has 24 hours.

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`)
const fromDate = (date: Date): string => date.toISOString().slice(0, DAY_CHARS)

export function addDays(day: string, days: number): string {
  const date = toDate(day)
  date.setUTCDate(date.getUTCDate() + days)
  return fromDate(date)
}

/** The same day of another month, or its last one. */
export function addMonths(day: string, months: number): string {
  const date = toDate(`${day.slice(0, 7)}-01`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return `${fromDate(date).slice(0, 8)}${String(Math.min(Number(day.slice(8)), daysInMonth(date))).padStart(2, '0')}`
}

const daysInMonth = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()

/** 1 for Monday to 7. */
export const dayOfWeek = (day: string): number => toDate(day).getUTCDay() || 7

/** The days of the weeks, from Monday, that show a month. */
export function monthGrid(day: string): string[] {
  const first = `${day.slice(0, 7)}-01`
  const before = dayOfWeek(first) - 1
  const weeks = Math.ceil((before + daysInMonth(toDate(first))) / 7)
  return Array.from({ length: weeks * 7 }, (_, index) => addDays(first, index - before))
}

/** The days of the week of a day, from Monday. */
export function weekDays(day: string): string[] {
  const monday = addDays(day, 1 - dayOfWeek(day))
  return Array.from({ length: 7 }, (_, index) => addDays(monday, index))
}
