// Times on the wall clock of a time zone, as the console writes them.

import { MINUTE_MS, offsetAt, toInstant, toIso, toMinutes } from '../interface/wall-time.ts'

export { readWallTime, toInstant, type WallTime } from '../interface/wall-time.ts'

const wallMs = (instant: string | number, timeZone: string): number => {
  const ms = new Date(instant).getTime()
  return ms + offsetAt(ms, timeZone)
}

/** The instant on the wall clock of the time zone, to the minute, as `<input type=datetime-local>` has it. */
export const toWallTime = (instant: string, timeZone: string): string => toMinutes(wallMs(instant, timeZone))

/** Its offset from UTC at that instant, such as `+02:00`. */
export function offsetOf(instant: string, timeZone: string): string {
  const minutes = Math.trunc(offsetAt(Date.parse(instant), timeZone) / MINUTE_MS)
  return `${minutes < 0 ? '-' : '+'}${toMinutes(Math.abs(minutes) * MINUTE_MS).slice(-5)}`
}

/** Its date in the time zone, `YYYY-MM-DD`. */
export const toDay = (instant: string | number, timeZone: string): string =>
  toIso(wallMs(instant, timeZone)).slice(0, '2026-03-29'.length)

/** When the day begins there: not at midnight where the clock leaps over it. */
export const startOfDay = (day: string, timeZone: string): string => toInstant(`${day}T00:00`, timeZone)!
