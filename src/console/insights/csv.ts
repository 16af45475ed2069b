import type { CampaignEntry } from '../../interface/generated/types.ts'
import { toCsvFile } from '../csv.ts'
import { type ComparedDay, type Figures, METRICS, type Metric, metricOf } from './figures.ts'

/** Decimal sums carry rounding errors in their last digits, such as 679.6700000000001. */
const DIGITS = 12

const toCell = (figures: Figures | undefined, metric: Metric): number | undefined => {
  const value = metricOf(figures, metric)
  return value === undefined ? undefined : Number(value.toPrecision(DIGITS))
}

/** A row per day in on-screen order, with the compared day beside it if there is one. */
export const daysToCsv = (days: readonly ComparedDay[], currency: string, hasComparison = true): string =>
  toCsvFile([
    [
      ...['date', 'currency', ...METRICS],
      ...(hasComparison ? ['dateBefore', ...METRICS.map((metric) => `${metric}Before`)] : []),
    ],
    ...days.map(({ day, dayBefore, figures, figuresBefore }) => [
      ...[day, currency, ...METRICS.map((metric) => toCell(figures, metric))],
      ...(hasComparison ? [dayBefore, ...METRICS.map((metric) => toCell(figuresBefore, metric))] : []),
    ]),
  ])

const RAW = [
  'marketing_messages_spend',
  'marketing_messages_delivered',
  'marketing_messages_read_rate',
  'marketing_messages_link_btn_click',
  'marketing_messages_link_btn_click_rate',
  'marketing_messages_cost_per_delivered',
  'marketing_messages_cost_per_link_btn_click',
] as const

/** A row per shown campaign and day, with the platform's values. */
export const campaignsToCsv = (campaigns: readonly CampaignEntry[], currency: string): string =>
  toCsvFile([
    ['campaignId', 'campaignName', 'date', 'currency', ...RAW],
    ...campaigns.flatMap(({ campaignId, campaignName, days }) =>
      days.map((day) => [campaignId, campaignName, day.date_start, currency, ...RAW.map((name) => day[name])]),
    ),
  ])
