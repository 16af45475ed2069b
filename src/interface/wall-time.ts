// Times on the wall clock of a time zone, by what Intl knows of zones. temporal-polyfill says the same in
// test/console/zoned.test.ts, and would be 6 kB of the console's pages.

/** The meaning of a wall-clock time in a time zone: once, never (the clock leaps over it), or twice (it is set back). */
export type WallTime =
  | { kind: 'once'; instant: string }
  | { kind: 'never' }
  | { kind: 'twice'; earlier: string; later: string }

const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

/** `local` as a date and time without a zone, such as `2026-03-29T02:30`; undefined for what is no such text. */
export function readWallTime(local: string, timeZone: string): WallTime | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined
  const wallMs = Date.parse(`${local}Z`)
  // Date makes 2 March of 30 February.
  if (Number.isNaN(wallMs) || toMinutes(wallMs) !== local) return undefined
  // The clock changes once in two days at most: one of these offsets holds, both do where it is set back, else none.
  const offsets = new Set([offsetAt(wallMs - DAY_MS, timeZone), offsetAt(wallMs + DAY_MS, timeZone)])
  const [earlier, later] = [...offsets]
    .filter((offset) => offsetAt(wallMs - offset, timeZone) === offset)
    .map((offset) => toIso(wallMs - offset))
    .sort()
  if (earlier === undefined) return { kind: 'never' }
  return later === undefined ? { kind: 'once', instant: earlier } : { kind: 'twice', earlier, later }
}

export const toIso = (ms: number): string => new Date(ms).toISOString()
/** To the minute. */
export const toMinutes = (ms: number): string => toIso(ms).slice(0, '2026-03-29T02:30'.length)

/** By time zone; a name has many spellings that differ in case alone, so that there is a bound. */
const formats = new Map<string, Intl.DateTimeFormat>()
const FORMATS_MAX = 100

/** The lead of the wall clock over UTC at an instant, in milliseconds. */
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
 * The instant of a wall-clock time: the earlier one where the clock shows it twice, and as much later as the clock leaps
 * where it leaps over it. Undefined for what `readWallTime` does not read.
 */
export function toInstant(local: string, timeZone: string): string | undefined {
  const read = readWallTime(local, timeZone)
  if (read?.kind === 'once') return read.instant
  if (read?.kind === 'twice') return read.earlier
  // By the offset before the leap.
  const ms = Date.parse(`${local}Z`)
  return read && toIso(ms - offsetAt(ms - DAY_MS, timeZone))
}
