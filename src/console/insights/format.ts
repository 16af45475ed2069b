import type { CampaignEntry, ConnectedAdAccount, InsightsWindow } from '../../interface/insights.ts'
import { common } from '../words.ts'
import type { Comparison, Metric } from './figures.ts'

export type Format = (value: number | undefined, metric: Metric) => string

/** A window of an account as its report shows it. */
export interface Shown {
  account: ConnectedAdAccount
  window: InsightsWindow
  /** The last day that has begun for the account. */
  end: string
  heading: string
  /** Id of the campaign that is shown alone. */
  chosen: string | undefined
  campaigns: readonly CampaignEntry[]
  before: readonly CampaignEntry[] | undefined
  comparison: Comparison
  metric: Metric
  format: Format
}

/** Formats values in the currency of an account. Costs of one message have more digits than sums. */
export function makeFormat(currency: string): Format {
  const money = (digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(common.locale, { style: 'currency', currency, maximumFractionDigits: digits })
  const [sum, cost] = [money(2), money(4)]
  const percent = new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 1 })
  return (value, metric) => {
    if (value === undefined) return '–'
    if (metric === 'spend') return sum.format(value)
    if (metric === 'costPerClick' || metric === 'costPerDelivered') return cost.format(value)
    return metric === 'readRate' ? percent.format(value / 100) : common.number(value)
  }
}

/** Formats the values of an axis, whose ticks are `step` apart: all with the digits that the step needs. */
export function makeTickFormat(currency: string): (value: number, metric: Metric, step: number) => string {
  return (value, metric, step) => {
    const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step))
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    if (metric === 'readRate') return `${new Intl.NumberFormat(common.locale, fraction).format(value)}%`
    const isMoney = metric === 'spend' || metric === 'costPerClick' || metric === 'costPerDelivered'
    const style = isMoney ? ({ style: 'currency', currency } as const) : {}
    return new Intl.NumberFormat(common.locale, { ...style, ...fraction }).format(value)
  }
}
