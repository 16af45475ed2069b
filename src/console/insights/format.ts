import type {
  CampaignEntry,
  ConnectedAdAccount,
  GetCampaignDailyInsightsQuery,
} from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import { type Comparison, changeOf, isRate, type Metric } from './figures.ts'
import type { ComparedWith } from './window.ts'
import { words } from './words.ts'

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
  const sum = new Intl.NumberFormat(common.locale, { style: 'currency', currency })
  const maximumFractionDigits = (sum.resolvedOptions().maximumFractionDigits ?? 2) + COST_DIGITS
  const cost = new Intl.NumberFormat(common.locale, { style: 'currency', currency, maximumFractionDigits })
  const rates = { readRate: makeRate(1), clickRate: makeRate(2) }
  return (value, metric) => {
    if (value === undefined) return '–'
    if (metric === 'spend') return sum.format(value)
    if (metric === 'costPerClick' || metric === 'costPerDelivered') return cost.format(value)
    if (metric === 'readRate' || metric === 'clickRate') return rates[metric].format(value / 100)
    return common.number(value)
  }
}

const makeRate = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat(common.locale, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })

/** Says how a value has changed: a rate by points, everything else by percent of what it was. */
export function describeChange(now: number | undefined, before: number | undefined, metric: Metric): string {
  const change = changeOf(now, before, metric)
  return isRate(metric) ? words.changeInPoints(change, metric === 'readRate' ? 1 : 2) : words.change(change)
}

/** Formats the values of an axis, whose ticks are `step` apart: all with the digits that the step needs. */
export function makeTickFormat(currency: string): (value: number, metric: Metric, step: number) => string {
  return (value, metric, step) => {
    const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step))
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    if (isRate(metric)) return `${new Intl.NumberFormat(common.locale, fraction).format(value)}%`
    const isMoney = metric === 'spend' || metric === 'costPerClick' || metric === 'costPerDelivered'
    const style = isMoney ? ({ style: 'currency', currency } as const) : {}
    return new Intl.NumberFormat(common.locale, { ...style, ...fraction }).format(value)
  }
}
