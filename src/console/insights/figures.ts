import type { CampaignEntry, DayRow, InsightsWindow } from '../../interface/insights.ts'
import { daysOf, windowBefore } from './window.ts'

export const METRICS = ['spend', 'delivered', 'readRate', 'clicks', 'costPerDelivered', 'costPerClick'] as const
export type Metric = (typeof METRICS)[number]

/** These figures can be added up. Rates and costs are computed from them, so that those of a sum are weighted. */
export interface Figures {
  spend: number
  delivered: number
  /** The deliveries for which a read rate is told. */
  rated: number
  /** The part of the rated ones that were read. */
  read: number
  clicks: number
}

const NOTHING: Figures = { spend: 0, delivered: 0, rated: 0, read: 0, clicks: 0 }

/** A metric of the platform: a number in a string; undefined for anything else. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

function figuresOf(day: DayRow): Figures {
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

const add = (a: Figures, b: Figures): Figures => ({
  spend: a.spend + b.spend,
  delivered: a.delivered + b.delivered,
  rated: a.rated + b.rated,
  read: a.read + b.read,
  clicks: a.clicks + b.clicks,
})

/** The figures of all days of campaigns. */
export const sumOf = (campaigns: readonly CampaignEntry[]): Figures =>
  campaigns
    .flatMap(({ days }) => days)
    .map(figuresOf)
    .reduce(add, NOTHING)

/** The figures of each day on which a campaign delivered. */
function byDay(campaigns: readonly CampaignEntry[]): Map<string, Figures> {
  const found = new Map<string, Figures>()
  for (const { days } of campaigns) {
    for (const day of days) found.set(day.date_start, add(found.get(day.date_start) ?? NOTHING, figuresOf(day)))
  }
  return found
}

/** A rate in percent, or a cost for each; undefined without a divisor. */
const ratio = (value: number, divisor: number): number | undefined => (divisor === 0 ? undefined : value / divisor)

const VALUES: Record<Metric, (figures: Figures) => number | undefined> = {
  spend: ({ spend }) => spend,
  delivered: ({ delivered }) => delivered,
  readRate: ({ read, rated }) => ratio(100 * read, rated),
  clicks: ({ clicks }) => clicks,
  costPerDelivered: ({ spend, delivered }) => ratio(spend, delivered),
  costPerClick: ({ spend, clicks }) => ratio(spend, clicks),
}

/** The value of a metric; undefined without figures. */
export const metricOf = (figures: Figures | undefined, metric: Metric): number | undefined =>
  figures && VALUES[metric](figures)

/** The change of a value in percent of what it was; undefined where there is nothing to compare. */
export const changeOf = (now: number | undefined, before: number | undefined): number | undefined =>
  now === undefined || before === undefined || before === 0 ? undefined : (100 * (now - before)) / before

/** A day of a window, and the day of the window before that stands beside it. */
export interface ComparedDay {
  day: string
  dayBefore: string
  figures: Figures | undefined
  figuresBefore: Figures | undefined
}

/** A window beside the window before, in sum and day by day. */
export interface Comparison {
  sum: Figures
  /** Undefined while the window before is not read. */
  sumBefore: Figures | undefined
  days: ComparedDay[]
}

/** Compares a window with the one before; `campaignId` leaves only that campaign. */
export function compare(
  window: InsightsWindow,
  campaigns: readonly CampaignEntry[],
  before: readonly CampaignEntry[] | undefined,
  campaignId?: string,
): Comparison {
  const isShown = (one: CampaignEntry): boolean => campaignId === undefined || one.campaignId === campaignId
  const [shown, shownBefore] = [campaigns.filter(isShown), before?.filter(isShown)]
  const [figures, figuresBefore] = [byDay(shown), byDay(shownBefore ?? [])]
  const daysBefore = daysOf(windowBefore(window))
  return {
    sum: sumOf(shown),
    sumBefore: shownBefore && sumOf(shownBefore),
    days: daysOf(window).map((day, index) => {
      const dayBefore = daysBefore[index]!
      return { day, dayBefore, figures: figures.get(day), figuresBefore: figuresBefore.get(dayBefore) }
    }),
  }
}

/** A campaign in sum, beside its sum in the window before; a campaign that delivered nothing then is undefined there. */
interface ComparedCampaign {
  campaign: CampaignEntry
  sum: Figures
  sumBefore: Figures | undefined
}

/** The campaigns, the highest value of the metric first. */
export function rankCampaigns(
  campaigns: readonly CampaignEntry[],
  before: readonly CampaignEntry[] | undefined,
  metric: Metric,
): ComparedCampaign[] {
  const sums = new Map(before?.map((campaign) => [campaign.campaignId, sumOf([campaign])]))
  return campaigns
    .map((campaign) => ({ campaign, sum: sumOf([campaign]), sumBefore: sums.get(campaign.campaignId) }))
    .toSorted((a, b) => (metricOf(b.sum, metric) ?? -1) - (metricOf(a.sum, metric) ?? -1))
}
