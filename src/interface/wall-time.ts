// Wall-clock times in time zones, based on Intl. test/console/zoned.test.ts compares them with temporal-polyfill,
// which would add 6 kB to the console's pages.

/**
 * How often a wall-clock time occurs in a time zone: once, never (the clock skips it) or twice (the clock is set
 * back).
 */
export type WallTime =
  | { kind: 'once'; instant: string }
  | { kind: 'never' }
  | { kind: 'twice'; earlier: string; later: string }

const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

/** Reads `local`, a date and time without a zone such as `2026-03-29T02:30`; undefined if it is malformed. */
export function readWallTime(local: string, timeZone: string): WallTime | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined
  const wallMs = Date.parse(`${local}Z`)
  // Date turns 30 February into 2 March.
  if (Number.isNaN(wallMs) || toMinutes(wallMs) !== local) return undefined
  // The clock changes at most once in two days. One of these offsets applies, both if the clock is set back, or
  // neither if it skips the time.
  const offsets = new Set([offsetAt(wallMs - DAY_MS, timeZone), offsetAt(wallMs + DAY_MS, timeZone)])
  const [earlier, later] = [...offsets]
    .filter((offset) => offsetAt(wallMs - offset, timeZone) === offset)
    .map((offset) => toIso(wallMs - offset))
    .sort()
  if (earlier === undefined) return { kind: 'never' }
  return later === undefined ? { kind: 'once', instant: earlier } : { kind: 'twice', earlier, later }
}

export const toIso = (ms: number): string => new Date(ms).toISOString()
/** Formats an instant to the minute. */
export const toMinutes = (ms: number): string => toIso(ms).slice(0, '2026-03-29T02:30'.length)

/** Cached by time zone. Bounded, because a name has many spellings that differ only in case. */
const formats = new Map<string, Intl.DateTimeFormat>()
const FORMATS_MAX = 100

/** Returns the offset of the wall clock from UTC at an instant, in milliseconds. */
export function offsetAt(ms: number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    if (formats.size >= FORMATS_MAX) formats.clear()
    formats.set(timeZone, format)
  }
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value
  const [, sign, hours, minutes, seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name ?? '') ?? []
  if (sign === undefined) return 0
  return (
    (sign === '-' ? -1 : 1) * (Number(hours) * 60 * MINUTE_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1000)
  )
}

/**
 * Returns the instant of a wall-clock time: the earlier one if it occurs twice, and one delayed by the length of the
 * gap if the clock skips it. Undefined for text that `readWallTime` does not read.
 */
export function toInstant(local: string, timeZone: string): string | undefined {
  const read = readWallTime(local, timeZone)
  if (read?.kind === 'once') return read.instant
  if (read?.kind === 'twice') return read.earlier
  // Uses the offset before the gap.
  const ms = Date.parse(`${local}Z`)
  return read && toIso(ms - offsetAt(ms - DAY_MS, timeZone))
}
