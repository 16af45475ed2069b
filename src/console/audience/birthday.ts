/** `YYYY-MM-DD`, or `--MM-DD` where the year is unknown, as parts; undefined for what is neither. */
function readBirthday(birthday: string): { year: number | undefined; month: number; day: number } | undefined {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? []
  if (month === undefined || day === undefined) return undefined
  return { year: year === '-' ? undefined : Number(year), month: Number(month), day: Number(day) }
}

/** A birthday in words, without a year where it is unknown. */
export function formatBirthday(birthday: string, locale: string): string {
  const read = readBirthday(birthday)
  if (read === undefined) return birthday
  // 29 February exists in this year, for a birthday whose year is unknown.
  const date = new Date(Date.UTC(2000, read.month - 1, read.day))
  date.setUTCFullYear(read.year ?? 2000)
  return formatOf(locale, read.year !== undefined).format(date)
}

/** Made once: making one for each row of a page takes longer than the rest of the page. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(locale: string, hasYear: boolean): Intl.DateTimeFormat {
  const key = `${locale} ${hasYear}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'long',
      ...(hasYear ? { year: 'numeric' } : {}),
      timeZone: 'UTC',
    })
    formats.set(key, format)
  }
  return format
}

const DAY_MS = 86_400_000

/** The days from `today` (`YYYY-MM-DD`) on, as `MM-DD` in their order; 29 February counts as the 28th in a common year. */
export function daysAhead(today: string, days: number): string[] {
  const start = Date.parse(`${today}T00:00:00Z`)
  return Array.from({ length: days }, (_, index) => new Date(start + index * DAY_MS).toISOString()).flatMap((date) => {
    const day = date.slice(5, 10)
    return day === '02-28' && !isLeap(Number(date.slice(0, 4))) ? [day, '02-29'] : [day]
  })
}

const isLeap = (year: number): boolean => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1

/** The months of those days. */
export const monthsOf = (days: readonly string[]): number[] => [...new Set(days.map((day) => Number(day.slice(0, 2))))]

/** Those whose birthday is on one of the days, in the order of the days; the order of the list within a day. */
export function onDays<Row extends { birthday?: string }>(rows: readonly Row[], days: readonly string[]): Row[] {
  const place = new Map(days.map((day, index) => [day, index]))
  return rows
    .flatMap((row) => {
      const index = place.get(row.birthday?.slice(-5) ?? '')
      return index === undefined ? [] : [{ row, index }]
    })
    .toSorted((a, b) => a.index - b.index)
    .map(({ row }) => row)
}
