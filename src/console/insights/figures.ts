import type { CampaignEntry, DayRow } from '../../interface/insights.ts'

export const METRICS = ['spend', 'delivered', 'readRate', 'clicks', 'costPerDelivered', 'costPerClick'] as const
export type Metric = (typeof METRICS)[number]

/** What can be added up. Rates and costs are made of it, so that those of a sum are weighted. */
export interface Figures {
  spend: number
  delivered: number
  /** Of those delivered for which a read rate is told, and how many of them were read. */
  rated: number
  read: number
  clicks: number
}

export const NOTHING: Figures = { spend: 0, delivered: 0, rated: 0, read: 0, clicks: 0 }

/** A metric of the platform: a number in a string; undefined for anything else. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

export function figuresOf(day: DayRow): Figures {
  const delivered = numberOf(day.marketing_messages_delivered) ?? 0
  const readRate = numberOf(day.marketing_messages_read_rate)
  return {
    spend: numberOf(day.marketing_messages_spend) ?? 0,
    delivered,
    rated: readRate === undefined ? 0 : delivered,
    // A percentage.
    read: ((readRate ?? 0) * delivered) / 100,
    clicks: numberOf(day.marketing_messages_link_btn_click) ?? 0,
  }
}

export const add = (a: Figures, b: Figures): Figures => ({
  spend: a.spend + b.spend,
  delivered: a.delivered + b.delivered,
  rated: a.rated + b.rated,
  read: a.read + b.read,
  clicks: a.clicks + b.clicks,
})

export const sumOf = (days: readonly DayRow[]): Figures => days.map(figuresOf).reduce(add, NOTHING)

/** By day, for each day on which a campaign delivered. */
export function byDay(campaigns: readonly CampaignEntry[]): Map<string, Figures> {
  const found = new Map<string, Figures>()
  for (const { days } of campaigns) {
    for (const day of days) found.set(day.date_start, add(found.get(day.date_start) ?? NOTHING, figuresOf(day)))
  }
  return found
}

/** The value of a metric: a rate in percent, a cost for each; undefined where there is nothing to divide by. */
export function metricOf({ spend, delivered, rated, read, clicks }: Figures, metric: Metric): number | undefined {
  switch (metric) {
    case 'spend':
      return spend
    case 'delivered':
      return delivered
    case 'clicks':
      return clicks
    case 'readRate':
      return rated === 0 ? undefined : (100 * read) / rated
    case 'costPerDelivered':
      return delivered === 0 ? undefined : spend / delivered
    case 'costPerClick':
      return clicks === 0 ? undefined : spend / clicks
  }
}

/** By how many percent a value is more, or less, than it was; undefined where there is nothing to compare. */
export const changeOf = (now: number | undefined, before: number | undefined): number | undefined =>
  now === undefined || before === undefined || before === 0 ? undefined : (100 * (now - before)) / before
