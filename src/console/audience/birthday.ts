import { addDays, isDay } from '../days.ts'
import { formatInstant } from '../times.ts'

/** A birthday in words: `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. Any other text is given as it is. */
export function formatBirthday(birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? []
  if (year === undefined) return birthday
  // 29 February exists in 2000, for a birthday whose year is unknown.
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)))
  if (year === '-') return formatInstant(date, 'UTC', 'longDay')
  date.setUTCFullYear(Number(year))
  return formatInstant(date, 'UTC', 'longDate')
}

/** The days from `today` (`YYYY-MM-DD`) on, as `MM-DD` in their order; 29 February counts as the 28th in a common year. */
export const daysAhead = (today: string, days: number): string[] =>
  Array.from({ length: days }, (_, index) => addDays(today, index)).flatMap((date) => {
    const day = date.slice(5)
    return day === '02-28' && !isDay(`${date.slice(0, 4)}-02-29`) ? [day, '02-29'] : [day]
  })

/** The months of those days. */
export const monthsOf = (days: readonly string[]): number[] => [...new Set(days.map((day) => Number(day.slice(0, 2))))]

/** Those whose birthday is on one of the days, in the order of the days; the order of the list within a day. */
export function onDays<Row extends { birthday?: string }>(rows: readonly Row[], days: readonly string[]): Row[] {
  const placeOf = ({ birthday = '' }: Row): number => days.indexOf(birthday.slice(-5))
  return rows.filter((row) => placeOf(row) >= 0).toSorted((a, b) => placeOf(a) - placeOf(b))
}
