import { LRUCache } from 'lru-cache'

/**
 * Returns whether the value is an existing calendar date `YYYY-MM-DD`. JavaScript turns 31 February into March, hence the
 * round trip.
 */
export function isBareDate(value: string): boolean {
  const instant = Date.parse(`${value}T00:00:00.000Z`)
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(value)
  )
}

const ISO_INSTANT =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/

/** Parses an ISO 8601 datetime with `Z` or an offset to milliseconds since the epoch; undefined for anything else. */
export function parseIsoInstant(value: string): number | undefined {
  const date = ISO_INSTANT.exec(value)?.[1]
  if (date === undefined || !isBareDate(date)) return undefined
  // Date.parse needs the colon that ISO 8601 makes optional.
  return Date.parse(value.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
}

/**
 * Returns the current hour on the next day: `2026-11-21T09:00:00Z` for any instant from 09:00 to 10:00 of the day before.
 */
export function toTomorrow(nowMs: number): string {
  const hour = new Date(nowMs + 86_400_000).toISOString().slice(0, '2026-11-21T09'.length)
  return `${hour}:00:00Z`
}

/** Parses an IMF-fixdate (`Fri, 20 Nov 2026 09:00:00 GMT`) to milliseconds since the epoch; undefined for anything else. */
export function parseImfFixdate(value: string): number | undefined {
  const instant = Date.parse(value)
  // The round trip rejects wrong weekdays, 31 February, other zones, and every other form that Date.parse accepts.
  return !Number.isNaN(instant) && new Date(instant).toUTCString() === value ? instant : undefined
}

export const DAY_MS = 86_400_000

/** Returns the date of an instant in UTC. */
export const toBareDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Returns the date this many days after another, or before it if negative. */
export const addDays = (date: string, days: number): string => toBareDate(Date.parse(date) + days * DAY_MS)

/** Returns the days from one date to another, both included; 0 or less if they are in the wrong order. */
export function daysInclusive(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1
}

/**
 * Formatters by time zone. Creating one takes fifty times as long as using it, and leaves more garbage than the rest of a
 * page of insights.
 */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 })

/** Returns the calendar date `YYYY-MM-DD` of an instant in an IANA time zone. */
export function toDateIn(timezone: string, instantMs: number): string {
  let format = formats.get(timezone)
  if (format === undefined) {
    // Sweden writes dates like ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone })
    formats.set(timezone, format)
  }
  return format.format(instantMs)
}

/** Returns whether this is the IANA name of a time zone. An offset such as `+02:00` is not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** How far ahead a change may appear to be, in milliseconds: changes wait for locks, and the clocks of two nodes differ. */
export const AHEAD_MS_MAX = 60_000

/**
 * Returns the time of a change that follows another: no earlier than the other, so that no history runs backwards. A time
 * further ahead came from a clock that was set back since, and is ignored.
 */
export const notBefore = (last: Date, now: Date): Date =>
  last > now && last.getTime() - now.getTime() <= AHEAD_MS_MAX ? last : now
