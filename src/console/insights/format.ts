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

/** A window of an account, as shown in its report. */
export interface Shown {
  account: ConnectedAdAccount
  window: GetCampaignDailyInsightsQuery
  /** The account's current day, the last that can be shown. */
  end: string
  heading: string
  /** The id of the only campaign shown. */
  chosen: string | undefined
  campaigns: readonly CampaignEntry[]
  before: readonly CampaignEntry[] | undefined
  comparison: Comparison
  comparedWith: ComparedWith
  metric: Metric
  format: Format
}

/** The cost of one message has this many more decimals than a sum. */
const COST_DIGITS = 2

/**
 * Formats values: money with its currency's decimals, the cost of a message with more, rates with enough decimals to align
 * in a column, counts with none.
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

/** Describes a change: rates in points, everything else in percent. */
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

/** Formats a range of days. */
export const nameOfWindow = (startDate: string, endDate: string): string =>
  startDate === endDate ? formatDay(startDate) : `${formatDay(startDate)} – ${formatDay(endDate)}`

/** Returns a file name made of the account, the campaign if there is one, and the content. */
export function fileOfInsights(
  parts: readonly (string | undefined)[],
  { startDate, endDate }: { startDate: string; endDate: string },
): string {
  return `${words.file}-${fileNameOf(parts.filter(Boolean).join('-'))}-${startDate}-${endDate}.csv`
}

/** Formats axis values with the decimals that the tick `step` needs. */
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
