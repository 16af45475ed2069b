// Wall-clock times in a time zone, as the console writes them.

import { MINUTE_MS, offsetAt, toInstant, toIso, toMinutes } from '../interface/wall-time.ts'

export { readWallTime, toInstant, type WallTime } from '../interface/wall-time.ts'

const wallMs = (instant: string | number, timeZone: string): number => {
  const ms = new Date(instant).getTime()
  return ms + offsetAt(ms, timeZone)
}

/** Returns an instant's wall-clock time to the minute, in the format of `<input type=datetime-local>`. */
export const toWallTime = (instant: string, timeZone: string): string => toMinutes(wallMs(instant, timeZone))

/** Returns the zone's offset from UTC at an instant, such as `+02:00`. */
export function offsetOf(instant: string, timeZone: string): string {
  const minutes = Math.trunc(offsetAt(Date.parse(instant), timeZone) / MINUTE_MS)
  return `${minutes < 0 ? '-' : '+'}${toMinutes(Math.abs(minutes) * MINUTE_MS).slice(-5)}`
}

/** Returns an instant's date in the time zone, `YYYY-MM-DD`. */
export const toDay = (instant: string | number, timeZone: string): string =>
  toIso(wallMs(instant, timeZone)).slice(0, '2026-03-29'.length)

/** Returns the start of a day, which is not midnight if a clock change skips it. */
export const startOfDay = (day: string, timeZone: string): string => toInstant(`${day}T00:00`, timeZone)!
