import type { GetCampaignDailyInsightsQuery } from '../../interface/generated/types.ts'
import { addDays, addMonths, daysBetween, isDay } from '../days.ts'

/** The service's limit on days per call. */
export const WINDOW_DAYS_MAX = 93
export const PRESETS = [7, 14, 28, 90] as const
/** Periods that the address can name, besides the last so many days. */
export const PERIODS = ['yesterday', 'week', 'month', 'last-month'] as const
export type Period = (typeof PERIODS)[number]
/** The periods to compare with: the preceding days, the same days a year earlier, or nothing. */
export const COMPARISONS = ['previous', 'year', 'none'] as const
export type ComparedWith = (typeof COMPARISONS)[number]
/** How long the platform keeps its figures. */
export const KEPT_MONTHS = 37

type Query = Record<string, string | undefined>

/** Returns the chosen number of days up to today; the smallest by default. */
export const presetOf = ({ days }: Query): number => PRESETS.find((preset) => String(preset) === days) ?? PRESETS[0]

export const periodOf = ({ period }: Query): Period | undefined => PERIODS.find((one) => one === period)

export const comparedWith = ({ compare }: Query): ComparedWith =>
  COMPARISONS.find((one) => one === compare) ?? 'previous'

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`

/** Returns the days of a period. `end` is the current day. */
function daysOfPeriod(period: Period, end: string): GetCampaignDailyInsightsQuery {
  const yesterday = addDays(end, -1)
  if (period === 'yesterday') return { startDate: yesterday, endDate: yesterday }
  if (period === 'week') return { startDate: addDays(end, -7), endDate: yesterday }
  const first = firstOfMonth(end)
  if (period === 'month') return { startDate: first, endDate: end }
  const last = addDays(first, -1)
  return { startDate: firstOfMonth(last), endDate: last }
}

/** Returns the window that the address names. `end` is the current day. */
export function readWindow(query: Query, end: string): GetCampaignDailyInsightsQuery {
  const { from, to } = query
  if (isDay(from)) return { startDate: from, endDate: isDay(to) ? to : end }
  const period = periodOf(query)
  if (period !== undefined) return daysOfPeriod(period, end)
  return { startDate: addDays(end, 1 - presetOf(query)), endDate: end }
}

/** Returns why a window cannot be read, if so. */
export function problemOf({ startDate, endDate }: GetCampaignDailyInsightsQuery): 'wrongOrder' | 'tooLong' | undefined {
  const days = daysBetween(startDate, endDate)
  if (days < 1) return 'wrongOrder'
  return days > WINDOW_DAYS_MAX ? 'tooLong' : undefined
}

/** Returns the window of the same length just before. */
export const windowBefore = ({ startDate, endDate }: GetCampaignDailyInsightsQuery): GetCampaignDailyInsightsQuery => ({
  startDate: addDays(startDate, -daysBetween(startDate, endDate)),
  endDate: addDays(startDate, -1),
})

/** Returns the window to compare with, if any. */
export function windowBeside(
  { startDate, endDate }: GetCampaignDailyInsightsQuery,
  choice: ComparedWith,
): GetCampaignDailyInsightsQuery | undefined {
  if (choice === 'none') return undefined
  if (choice === 'previous') return windowBefore({ startDate, endDate })
  return { startDate: addMonths(startDate, -12), endDate: addMonths(endDate, -12) }
}

/** Returns the day to compare each day with; undefined for 29 February if the other year has none. */
export function daysBeside(window: GetCampaignDailyInsightsQuery, choice: ComparedWith): (string | undefined)[] {
  if (choice === 'year') {
    return daysOf(window).map((day) => {
      const before = addMonths(day, -12)
      return before.slice(5) === day.slice(5) ? before : undefined
    })
  }
  return choice === 'none' ? [] : daysOf(windowBefore(window))
}

/** Returns true if the platform still has every day of the window. `end` is the current day. */
export const isKept = ({ startDate }: GetCampaignDailyInsightsQuery, end: string): boolean =>
  startDate >= addMonths(end, -KEPT_MONTHS)

/** Returns the later half of a window. */
export const laterHalf = ({ startDate, endDate }: GetCampaignDailyInsightsQuery): GetCampaignDailyInsightsQuery => ({
  startDate: addDays(endDate, 1 - Math.ceil(daysBetween(startDate, endDate) / 2)),
  endDate,
})

/** Returns every day of a window, in order. */
export const daysOf = ({ startDate, endDate }: GetCampaignDailyInsightsQuery): string[] =>
  Array.from({ length: daysBetween(startDate, endDate) }, (_, index) => addDays(startDate, index))
