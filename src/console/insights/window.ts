import type { InsightsWindow } from '../../interface/insights.ts'
import { addDays, daysBetween, isDay } from '../days.ts'

/** The service takes no more days at once. */
export const WINDOW_DAYS_MAX = 93
export const PRESETS = [7, 14, 28, 90] as const

type Query = Record<string, string | undefined>

/** The chosen number of days up to today; the smallest where the address has none of them. */
export const presetOf = ({ days }: Query): number => PRESETS.find((preset) => String(preset) === days) ?? PRESETS[0]

/** The window that the address names. `end` is the last day that has begun. */
export function readWindow(query: Query, end: string): InsightsWindow {
  const { from, to } = query
  if (isDay(from)) return { startDate: from, endDate: isDay(to) ? to : end }
  return { startDate: addDays(end, 1 - presetOf(query)), endDate: end }
}

/** Tells why a window cannot be read. */
export function problemOf({ startDate, endDate }: InsightsWindow): 'wrongOrder' | 'tooLong' | undefined {
  const days = daysBetween(startDate, endDate)
  if (days < 1) return 'wrongOrder'
  return days > WINDOW_DAYS_MAX ? 'tooLong' : undefined
}

/** The window of as many days right before. */
export const windowBefore = ({ startDate, endDate }: InsightsWindow): InsightsWindow => ({
  startDate: addDays(startDate, -daysBetween(startDate, endDate)),
  endDate: addDays(startDate, -1),
})

/** The later half of a window. */
export const laterHalf = ({ startDate, endDate }: InsightsWindow): InsightsWindow => ({
  startDate: addDays(endDate, 1 - Math.ceil(daysBetween(startDate, endDate) / 2)),
  endDate,
})

/** Every day of a window, in order. */
export const daysOf = ({ startDate, endDate }: InsightsWindow): string[] =>
  Array.from({ length: daysBetween(startDate, endDate) }, (_, index) => addDays(startDate, index))
