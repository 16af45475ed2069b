import type { RecurrenceRule } from './generated/types.js'
import { toInstant } from './wall-time.js'

export const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY'] as const

export const OCCURRENCES_MAX = 100
/** Covers a hundred months and every gap of a rule. */
const DAYS_MAX = 366 * 9

const DAY_MS = 86_400_000

export interface Occurrences {
  /** ISO 8601 in UTC, in order, at most OCCURRENCES_MAX. */
  instants: string[]
  /** True if the rule has more than OCCURRENCES_MAX. */
  isTooLong: boolean
}

/**
 * Lists the occurrences of a rule after an instant. If the clock skips the time, the post is delayed by the length of
 * the gap; if the clock shows the time twice, the first one counts. Each day of the rule thus has one occurrence.
 */
export function listOccurrences(rule: RecurrenceRule, timeZone: string, afterMs: number): Occurrences {
  const { from, until = '9999-12-31', count = OCCURRENCES_MAX + 1, time } = rule
  const instants: string[] = []
  const firstMs = Date.parse(from)
  for (let days = 0; days < DAYS_MAX && instants.length < Math.min(count, OCCURRENCES_MAX + 1); days += 1) {
    const date = new Date(firstMs + days * DAY_MS)
    const day = date.toISOString().slice(0, 10)
    if (day > until) break
    if (!isOnDay(rule, date)) continue
    const instant = toInstant(`${day}T${time}`, timeZone)
    if (instant !== undefined && Date.parse(instant) > afterMs) instants.push(instant)
  }
  return { instants: instants.slice(0, OCCURRENCES_MAX), isTooLong: instants.length > OCCURRENCES_MAX }
}

function isOnDay({ frequency, weekdays = [], dayOfMonth = 1 }: RecurrenceRule, date: Date): boolean {
  if (frequency === 'DAILY') return true
  if (frequency === 'WEEKLY') return weekdays.includes(date.getUTCDay() || 7)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.getUTCDate() === Math.min(dayOfMonth, lastDay)
}
