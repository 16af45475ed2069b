import { textOf, audience as words } from '../words.ts'

/** A birthday in words: `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. Any other text is given as it is. */
export function formatBirthday(birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? []
  if (year === undefined) return birthday
  // Without Intl, whose first use in a page takes longer than the page.
  const date = { day: Number(day), month: textOf(words.months, String(Number(month))) }
  return year === '-' ? words.birthdayOn(date) : words.birthdayOnOf({ ...date, year: Number(year) })
}
