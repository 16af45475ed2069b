import { Temporal } from 'temporal-polyfill'

/** What a wall-clock time of a time zone is: once, never (the clock leaps over it), or twice (it is set back). */
export type WallTime =
  | { kind: 'once'; instant: string }
  | { kind: 'never' }
  | { kind: 'twice'; earlier: string; later: string }

/** `local` as a date and time without a zone, such as `2026-03-29T02:30`; undefined for what is no such text. */
export function readWallTime(local: string, timeZone: string): WallTime | undefined {
  let plain: Temporal.PlainDateTime
  try {
    plain = Temporal.PlainDateTime.from(local)
  } catch {
    return undefined
  }
  try {
    return { kind: 'once', instant: toIso(plain.toZonedDateTime(timeZone, { disambiguation: 'reject' })) }
  } catch {
    const earlier = plain.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
    const later = plain.toZonedDateTime(timeZone, { disambiguation: 'later' })
    return earlier.toPlainDateTime().equals(plain)
      ? { kind: 'twice', earlier: toIso(earlier), later: toIso(later) }
      : { kind: 'never' }
  }
}

const toIso = (time: Temporal.ZonedDateTime): string => time.toInstant().toString({ fractionalSecondDigits: 3 })

const zoned = (instant: string | number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(new Date(instant).getTime()).toZonedDateTimeISO(timeZone)

/** The instant on the wall clock of the time zone, to the minute, as `<input type=datetime-local>` has it. */
export const toWallTime = (instant: string, timeZone: string): string =>
  zoned(instant, timeZone).toPlainDateTime().toString({ smallestUnit: 'minute' })

/** Its offset from UTC at that instant, such as `+02:00`. */
export const offsetOf = (instant: string, timeZone: string): string => zoned(instant, timeZone).offset

/** Its date in the time zone, `YYYY-MM-DD`. */
export const toDay = (instant: string | number, timeZone: string): string =>
  zoned(instant, timeZone).toPlainDate().toString()

/** When the day begins there: not at midnight where the clock leaps over it. */
export const startOfDay = (day: string, timeZone: string): string =>
  toIso(Temporal.PlainDate.from(day).toZonedDateTime(timeZone))

export const addDays = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()

/** The same day of another month, or its last one. */
export const addMonths = (day: string, months: number): string =>
  Temporal.PlainDate.from(day).add({ months }).toString()

/** 1 for Monday to 7. */
export const dayOfWeek = (day: string): number => Temporal.PlainDate.from(day).dayOfWeek

/** The days of the weeks, from Monday, that show a month. */
export function monthGrid(day: string): string[] {
  const first = Temporal.PlainDate.from(day).with({ day: 1 })
  const start = first.subtract({ days: first.dayOfWeek - 1 })
  const last = first.add({ months: 1 }).subtract({ days: 1 })
  const days = start.until(last.add({ days: 7 - last.dayOfWeek })).days + 1
  return Array.from({ length: days }, (_, index) => start.add({ days: index }).toString())
}

/** The days of the week of a day, from Monday. */
export function weekDays(day: string): string[] {
  const monday = addDays(day, 1 - dayOfWeek(day))
  return Array.from({ length: 7 }, (_, index) => addDays(monday, index))
}
