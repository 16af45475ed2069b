import type {
  CampaignEntry,
  ConnectedAdAccount,
  GetCampaignDailyInsightsQuery,
} from '../../interface/generated/types.ts'
import { fileNameOf } from '../csv.ts'
import { formatDay } from '../times.ts'
import { lazily, locale, number } from '../wording.ts'
import { insights as words } from '../words.ts'
import { type Comparison, changeOf, isRate, type Metric } from './figures.ts'
import type { ComparedWith } from './window.ts'

export type Format = (value: number | undefined, metric: Metric) => string

/** A window of an account as its report shows it. */
export interface Shown {
  account: ConnectedAdAccount
  window: GetCampaignDailyInsightsQuery
  /** The last day that has begun for the account. */
  end: string
  heading: string
  /** Id of the campaign that is shown alone. */
  chosen: string | undefined
  campaigns: readonly CampaignEntry[]
  before: readonly CampaignEntry[] | undefined
  comparison: Comparison
  comparedWith: ComparedWith
  metric: Metric
  format: Format
}

/** A cost of one message has so many digits more than a sum. */
const COST_DIGITS = 2

/**
 * Formats values: a sum of money with the digits of its currency, a cost of one message with more, a rate with one digit or
 * two, so that they stand below each other, and a count with none.
 */
export function makeFormat(currency: string): Format {
  const sum = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const maximumFractionDigits = (sum.resolvedOptions().maximumFractionDigits ?? 2) + COST_DIGITS
  const cost = new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits })
  const rates = { readRate: makeRate(1), clickRate: makeRate(2) }
  return (value, metric) => {
    if (value === undefined) return '–'
    if (metric === 'spend') return sum.format(value)
    if (metric === 'costPerClick' || metric === 'costPerDelivered') return cost.format(value)
    if (metric === 'readRate' || metric === 'clickRate') return rates[metric].format(value / 100)
    return number(value)
  }
}

const makeRate = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat(locale, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })

const percents = lazily(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }))

/** Says how a value has changed: a rate by points, everything else by percent of what it was. */
export function describeChange(now: number | undefined, before: number | undefined, metric: Metric): string {
  const change = changeOf(now, before, metric)
  if (change === undefined) return words.nothingToCompare
  const isMore = change > 0
  if (!isRate(metric)) {
    if (Math.abs(change) < 0.5) return words.unchanged
    const size = percents().format(Math.abs(change) / 100)
    return isMore ? words.more({ size }) : words.less({ size })
  }
  const digits = metric === 'readRate' ? 1 : 2
  const many = Number(Math.abs(change).toFixed(digits))
  if (many === 0) return words.unchanged
  const size = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    many,
  )
  return isMore ? words.morePoints({ many, size }) : words.lessPoints({ many, size })
}

/** The days from the first to the last. */
export const nameOfWindow = (startDate: string, endDate: string): string =>
  startDate === endDate ? formatDay(startDate) : `${formatDay(startDate)} – ${formatDay(endDate)}`

/** The name of a file: the account, the campaign if it is of one, and what it holds. */
export function fileOfInsights(
  parts: readonly (string | undefined)[],
  { startDate, endDate }: { startDate: string; endDate: string },
): string {
  return `${words.file}-${fileNameOf(parts.filter(Boolean).join('-'))}-${startDate}-${endDate}.csv`
}

/** Formats the values of an axis, whose ticks are `step` apart: all with the digits that the step needs. */
export function makeTickFormat(currency: string): (value: number, metric: Metric, step: number) => string {
  return (value, metric, step) => {
    const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step))
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    if (isRate(metric)) return `${new Intl.NumberFormat(locale, fraction).format(value)}%`
    const isMoney = metric === 'spend' || metric === 'costPerClick' || metric === 'costPerDelivered'
    const style = isMoney ? ({ style: 'currency', currency } as const) : {}
    return new Intl.NumberFormat(locale, { ...style, ...fraction }).format(value)
  }
}
