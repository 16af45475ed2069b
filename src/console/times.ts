import { lazily, locale } from './wording.ts'

// The console shows all times in the organization's time zone, or in the one that the person chose.

type Part =
  | 'full'
  | 'day'
  | 'date'
  | 'longDate'
  | 'longDay'
  | 'dayMonth'
  | 'weekDate'
  | 'time'
  | 'short'
  | 'month'
  | 'monthName'
  | 'weekday'
  | 'weekdayName'

const PARTS: Record<Part, Intl.DateTimeFormatOptions> = {
  full: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  time: { hour: '2-digit', minute: '2-digit' },
  short: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  month: { month: 'long', year: 'numeric' },
  monthName: { month: 'long' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  longDate: { day: 'numeric', month: 'long', year: 'numeric' },
  longDay: { day: 'numeric', month: 'long' },
  dayMonth: { day: 'numeric', month: 'short' },
  weekDate: { weekday: 'short', day: 'numeric', month: 'short' },
  weekday: { weekday: 'short' },
  weekdayName: { weekday: 'long' },
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats an instant in the time zone, without naming the zone. */
export function formatInstant(instant: string | number | Date, timeZone: string, part: Part = 'full'): string {
  const key = `${part} ${timeZone}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, { ...PARTS[part], hourCycle: 'h23', timeZone })
    formats.set(key, format)
  }
  return format.format(new Date(instant))
}

/** Formats a date. It is the same in every zone, so it is formatted as noon in UTC. */
export const formatDay = (day: string, part: Part = 'date'): string => formatInstant(`${day}T12:00:00Z`, 'UTC', part)

/** Returns an instant's date, `YYYY-MM-DD`, in the time zone. Sweden writes dates as ISO 8601 does. */
export const today = (ms: number, timeZone: string): string => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(ms)

/** Returns a readable time zone name, such as `America/Sao Paulo`. */
export const zoneName = (timeZone: string): string => timeZone.replaceAll('_', ' ')

const relative = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
const STEPS = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 36],
  ['day', 86_400_000, 14],
  ['week', 604_800_000, 9],
  ['month', 2_629_800_000, 24],
  ['year', 31_557_600_000, Number.POSITIVE_INFINITY],
] as const

/** Formats the distance of an instant from now, such as `in 3 days`. */
export function formatDistance(instant: string, nowMs: number): string {
  const ms = Date.parse(instant) - nowMs
  for (const [unit, unitMs, below] of STEPS) {
    const count = Math.trunc(ms / unitMs)
    if (Math.abs(count) < below) return relative().format(count, unit)
  }
  return ''
}
