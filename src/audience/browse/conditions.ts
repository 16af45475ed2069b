import type { ExportAudienceQuery, SegmentConditions } from '../../interface/generated/types.js'
import { addDays, DAY_MS } from '../../lib/dates.js'

/** The first and the last day of a range, as `MM-DD`. */
export type DayRange = readonly [first: string, last: string]

/** The conditions of a list as values for its statements. Null means no condition. */
export interface Conditions {
  vipsOf: string | null
  notVipsOf: string | null
  valueAbove: number | null
  /** No purchase at or after this time. */
  noPurchaseSinceMs: number | null
  /** The birthday is in one of these ranges. There is a second one if the days extend past the end of the year. */
  birthdays: readonly [DayRange] | readonly [DayRange, DayRange] | null
  hasBirthday: boolean
  birthdayMonth: number | null
}

const YEAR: DayRange = ['01-01', '12-31']
const LAST_OF_FEBRUARY = '02-28'

/** Returns the `days` days starting with `today`. 29 February counts as the 28th in a common year. */
export function birthdayRanges(today: string, days: number): [DayRange] | [DayRange, DayRange] {
  if (days >= 365) return [YEAR]
  const last = addDays(today, days - 1)
  const from = today.slice(5)
  const isCommon = addDays(`${last.slice(0, 4)}-02-28`, 1).endsWith('-03-01')
  const to = last.endsWith(LAST_OF_FEBRUARY) && isCommon ? '02-29' : last.slice(5)
  return today.slice(0, 4) === last.slice(0, 4)
    ? [[from, to]]
    : [
        [from, '12-31'],
        ['01-01', to],
      ]
}

/** Combines the conditions of a query and its segment. If both have the same condition, both must hold. */
export function toConditions(
  query: Omit<ExportAudienceQuery, 'segmentId' | 'sort'>,
  segment: SegmentConditions | undefined,
  { nowMs, today }: { nowMs: number; today: string },
): Conditions {
  const given = (name: Exclude<keyof SegmentConditions, 'vip'>): number[] =>
    [query[name], segment?.[name]].filter((value) => value !== undefined)
  const greatest = (values: number[]): number | null => (values.length === 0 ? null : Math.max(...values))
  const purchaseDays = greatest(given('noPurchaseForDays'))
  const birthdayDays = given('birthdayWithinDays')
  return {
    vipsOf: query.scope !== 'all' || segment?.vip === true ? query.workspaceId : null,
    notVipsOf: segment?.vip === false ? query.workspaceId : null,
    valueAbove: greatest(given('valueAbove')),
    noPurchaseSinceMs: purchaseDays === null ? null : nowMs - purchaseDays * DAY_MS,
    birthdays: birthdayDays.length === 0 ? null : birthdayRanges(today, Math.min(...birthdayDays)),
    hasBirthday: query.hasBirthday === 'true',
    birthdayMonth: query.birthdayMonth ?? null,
  }
}

/** Returns whether a list has everyone, or every VIP. */
export const isPlain = ({
  notVipsOf,
  valueAbove,
  noPurchaseSinceMs,
  birthdays,
  hasBirthday,
  birthdayMonth,
}: Conditions): boolean =>
  [notVipsOf, valueAbove, noPurchaseSinceMs, birthdays, birthdayMonth].every((value) => value === null) && !hasBirthday
