import { words } from './words.ts'

/** A birthday in words: `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. Any other text is given as it is. */
export function formatBirthday(birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? []
  return year === undefined
    ? birthday
    : words.birthdayOn(Number(day), Number(month), year === '-' ? undefined : Number(year))
}
