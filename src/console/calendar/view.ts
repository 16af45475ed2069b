import type { CalendarPost } from '../../interface/generated/types.ts'
import { addDays, addMonths, dayOfWeek, isDay, monthGrid, weekDays } from '../days.ts'
import { startOfDay } from '../zoned.ts'

export const VIEWS = ['month', 'week', 'list'] as const
type ViewName = (typeof VIEWS)[number]

/** The days that the calendar shows. */
export interface View {
  /** The view that the address names. */
  asked: ViewName
  isList: boolean
  isWeek: boolean
  /** The day that the shown month or week is around. */
  day: string
  days: string[]
}

/** The view of the address. A narrow window has no room for a grid of seven days, so it shows the month as a list. */
export function readView(query: Record<string, string | undefined>, today: string, isWide: boolean): View {
  const asked = VIEWS.find((one) => one === query.view) ?? 'month'
  const day = isDay(query.day) ? query.day : today
  const isWeek = isWide && asked === 'week'
  const isList = !isWide || asked === 'list'
  const month = monthGrid(day)
  const days = isWeek ? weekDays(day) : isList ? month.filter((one) => isSameMonth(one, day)) : month
  return { asked, isList, isWeek, day, days }
}

const isSameMonth = (day: string, other: string): boolean => day.slice(0, 7) === other.slice(0, 7)

/** The day around which the month or week before (-1) or after (1) is shown. */
export const stepOf = ({ day, isWeek }: View, by: 1 | -1): string =>
  isWeek ? addDays(day, 7 * by) : addMonths(day, by)

/** True for a day that the keys have reached and that is in another month or week than the shown one. */
export const leadsAway = ({ day, days, isWeek }: View, next: string): boolean =>
  !days.includes(next) || (!isWeek && !isSameMonth(next, day))

/** The keys that lead from one day to another. */
const BY_KEY: Record<string, ((day: string, isWeek: boolean) => string) | undefined> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  Home: (day) => addDays(day, 1 - dayOfWeek(day)),
  End: (day) => addDays(day, 7 - dayOfWeek(day)),
  PageUp: (day, isWeek) => (isWeek ? addDays(day, -7) : addMonths(day, -1)),
  PageDown: (day, isWeek) => (isWeek ? addDays(day, 7) : addMonths(day, 1)),
}

/** The day to which a key leads from another; undefined for a key that leads nowhere. */
export const dayByKey = (key: string, day: string, isWeek: boolean): string | undefined => BY_KEY[key]?.(day, isWeek)

/** When the shown days begin and end in the time zone, as the list of posts takes it. */
export const rangeOf = (days: readonly string[], timeZone: string) => ({
  scheduledFrom: startOfDay(days[0]!, timeZone),
  scheduledBefore: startOfDay(addDays(days.at(-1)!, 1), timeZone),
})

/**
 * The posts by their day in the time zone, of the days that have one. Days and posts come in the order of time, so that
 * the beginnings of the days part the posts. To ask the browser for the day of each of 1,000 takes 30 to 50 ms with a
 * quarter of the CPU.
 */
export function groupByDay(
  posts: readonly CalendarPost[],
  days: readonly string[],
  timeZone: string,
): Map<string, CalendarPost[]> {
  const byDay = new Map<string, CalendarPost[]>()
  let next = 0
  const passUntil = (day: string): void => {
    const beginsMs = Date.parse(startOfDay(day, timeZone))
    while (next < posts.length && timeOf(posts[next]!) < beginsMs) next += 1
  }
  passUntil(days[0]!)
  for (const day of days) {
    const first = next
    passUntil(addDays(day, 1))
    if (next > first) byDay.set(day, posts.slice(first, next))
  }
  return byDay
}

/** In milliseconds. Posts without a time are the last of a list. */
const timeOf = ({ scheduledFor }: CalendarPost): number =>
  scheduledFor === undefined ? Number.POSITIVE_INFINITY : Date.parse(scheduledFor)
