// Calendar days as `YYYY-MM-DD`, independent of time zones: computed in UTC, where each has 24 hours.

const DAY_CHARS = '2026-03-29'.length

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`)
const fromDate = (date: Date): string => date.toISOString().slice(0, DAY_CHARS)

export function addDays(day: string, days: number): string {
  const date = toDate(day)
  date.setUTCDate(date.getUTCDate() + days)
  return fromDate(date)
}

/** Returns the same day of another month, or that month's last day. */
export function addMonths(day: string, months: number): string {
  const date = toDate(`${day.slice(0, 7)}-01`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return `${fromDate(date).slice(0, 8)}${String(Math.min(Number(day.slice(8)), daysInMonth(date))).padStart(2, '0')}`
}

const daysInMonth = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()

/** Returns 1 for Monday to 7 for Sunday. */
export const dayOfWeek = (day: string): number => toDate(day).getUTCDay() || 7

/** Returns the days of the weeks that cover a month, from Monday. */
export function monthGrid(day: string): string[] {
  const first = `${day.slice(0, 7)}-01`
  const before = dayOfWeek(first) - 1
  const weeks = Math.ceil((before + daysInMonth(toDate(first))) / 7)
  return Array.from({ length: weeks * 7 }, (_, index) => addDays(first, index - before))
}

/** Returns the days of a day's week, from Monday. */
export function weekDays(day: string): string[] {
  const monday = addDays(day, 1 - dayOfWeek(day))
  return Array.from({ length: 7 }, (_, index) => addDays(monday, index))
}

/** Returns the number of days from first to last, inclusive. */
export const daysBetween = (first: string, last: string): number =>
  Math.round((toDate(last).getTime() - toDate(first).getTime()) / 86_400_000) + 1

/** Returns true for a date that exists. */
export const isDay = (text: string | undefined): text is string =>
  text !== undefined &&
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(toDate(text).getTime()) &&
  fromDate(toDate(text)) === text
