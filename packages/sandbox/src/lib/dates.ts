export const DAY_MS = 86_400_000

/** The bare date of an instant in UTC. */
export const toBareDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The bare date that is this many days after another, or before it if negative. */
export const addDays = (date: string, days: number): string => toBareDate(Date.parse(date) + days * DAY_MS)

/** Days from one bare date to another, including both; 0 or less if they are in the wrong order. */
export const daysInclusive = (first: string, last: string): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1

/** Formatters by time zone, because making one takes fifty times as long as using it. The zones are those of the model. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** The calendar date `YYYY-MM-DD` of an instant in an IANA time zone. */
export function toDateIn(timezone: string, instantMs: number): string {
  // Swedish dates have the format of ISO 8601.
  const format = formats.get(timezone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timezone })
  formats.set(timezone, format)
  return format.format(instantMs)
}
