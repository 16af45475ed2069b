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
  campaigns: readonly CampaignEntry[]
  before: readonly CampaignEntry[] | undefined
  comparison: Comparison
  metric: Metric
  format: Format
}

/** Formats values in the currency of an account. Large sums have no cents, and costs of one message have more digits. */
export function makeFormat(currency: string): Format {
  const money = (digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(common.locale, { style: 'currency', currency, maximumFractionDigits: digits })
  const [large, sum, cost] = [money(0), money(2), money(4)]
  const percent = new Intl.NumberFormat(common.locale, { style: 'percent', maximumFractionDigits: 1 })
  return (value, metric) => {
    if (value === undefined) return '–'
    if (metric === 'spend') return (value < 1000 ? sum : large).format(value)
    if (metric === 'costPerClick' || metric === 'costPerDelivered') return cost.format(value)
    return metric === 'readRate' ? percent.format(value / 100) : common.number(value)
  }
}
