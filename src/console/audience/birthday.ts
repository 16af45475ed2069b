import { textOf, audience as words } from '../words.ts'

/** Formats a birthday, `YYYY-MM-DD` or `--MM-DD` if the year is unknown. Other text is returned unchanged. */
export function formatBirthday(birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? []
  if (year === undefined) return birthday
  // Without Intl: its first use in a page takes longer than the whole page.
  const date = { day: Number(day), month: textOf(words.months, String(Number(month))) }
  return year === '-' ? words.birthdayOn(date) : words.birthdayOnOf({ ...date, year: Number(year) })
}
