import type { CampaignEntry, DayRow, GetCampaignDailyInsightsQuery } from '../../interface/generated/types.ts'
import { type ComparedWith, daysBeside, daysOf } from './window.ts'

export const METRICS = [
  ...(['spend', 'delivered', 'readRate', 'clicks', 'clickRate', 'costPerDelivered', 'costPerClick'] as const),
]
export type Metric = (typeof METRICS)[number]

/** A rate is in percent: two of them differ by points. */
export const isRate = (metric: Metric): boolean => metric === 'readRate' || metric === 'clickRate'

/** These figures can be added up. Rates and costs are computed from them, so that those of a sum are weighted. */
export interface Figures {
  spend: number
  delivered: number
  /** The deliveries for which a read rate is told. */
  rated: number
  /** The part of the rated ones that were read. */
  read: number
  clicks: number
  /** The deliveries for which clicks are told. */
  clickable: number
}

const NOTHING: Figures = { spend: 0, delivered: 0, rated: 0, read: 0, clicks: 0, clickable: 0 }

/** A metric of the platform: a number in a string; undefined for anything else. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

function figuresOf(day: DayRow): Figures {
  const delivered = numberOf(day.marketing_messages_delivered) ?? 0
  const readRate = numberOf(day.marketing_messages_read_rate)
  const clicks = numberOf(day.marketing_messages_link_btn_click)
  return {
    spend: numberOf(day.marketing_messages_spend) ?? 0,
    delivered,
    rated: readRate === undefined ? 0 : delivered,
    // A percentage.
    read: ((readRate ?? 0) * delivered) / 100,
    clicks: clicks ?? 0,
    clickable: clicks === undefined ? 0 : delivered,
  }
}

const add = (a: Figures, b: Figures): Figures => ({
  spend: a.spend + b.spend,
  delivered: a.delivered + b.delivered,
  rated: a.rated + b.rated,
  read: a.read + b.read,
  clicks: a.clicks + b.clicks,
  clickable: a.clickable + b.clickable,
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
  clickRate: ({ clicks, clickable }) => ratio(100 * clicks, clickable),
  costPerDelivered: ({ spend, delivered }) => ratio(spend, delivered),
  costPerClick: ({ spend, clicks }) => ratio(spend, clicks),
}

/** The value of a metric; undefined without figures. */
export const metricOf = (figures: Figures | undefined, metric: Metric): number | undefined =>
  figures && VALUES[metric](figures)

/** The change of a value in percent of what it was, of a rate in points; undefined where there is nothing to compare. */
export function changeOf(now: number | undefined, before: number | undefined, metric: Metric): number | undefined {
  if (now === undefined || before === undefined) return undefined
  if (isRate(metric)) return now - before
  return before === 0 ? undefined : (100 * (now - before)) / before
}

/** A day of a window, and the day that stands beside it. */
export interface ComparedDay {
  day: string
  /** Undefined where the other window has no such day. */
  dayBefore: string | undefined
  figures: Figures | undefined
  figuresBefore: Figures | undefined
}

/** A window beside another, in sum and day by day. */
export interface Comparison {
  sum: Figures
  /** Undefined while the other window is not read. */
  sumBefore: Figures | undefined
  days: ComparedDay[]
}

/** Compares a window with the one before or another; `campaignId` leaves only that campaign. */
export function compare(
  window: GetCampaignDailyInsightsQuery,
  campaigns: readonly CampaignEntry[],
  before: readonly CampaignEntry[] | undefined,
  campaignId?: string,
  choice: ComparedWith = 'previous',
): Comparison {
  const isShown = (one: CampaignEntry): boolean => campaignId === undefined || one.campaignId === campaignId
  const beside = daysBeside(window, choice)
  const [shown, shownBefore] = [campaigns.filter(isShown), before && onDays(before.filter(isShown), beside)]
  const [figures, figuresBefore] = [byDay(shown), byDay(shownBefore ?? [])]
  return {
    sum: sumOf(shown),
    sumBefore: shownBefore && sumOf(shownBefore),
    days: daysOf(window).map((day, index) => {
      const dayBefore = beside[index]
      const there = dayBefore === undefined ? undefined : figuresBefore.get(dayBefore)
      return { day, dayBefore, figures: figures.get(day), figuresBefore: there }
    }),
  }
}

/** The campaigns with these days alone, so that a 29 February counts in no sum that is compared with a year without one. */
function onDays(campaigns: readonly CampaignEntry[], days: readonly (string | undefined)[]): CampaignEntry[] {
  const kept = new Set(days)
  return campaigns.map((campaign) => ({ ...campaign, days: campaign.days.filter((day) => kept.has(day.date_start)) }))
}

/** A campaign in sum, beside its sum in the other window; a campaign that delivered nothing then is undefined there. */
export interface ComparedCampaign {
  campaign: CampaignEntry
  sum: Figures
  sumBefore: Figures | undefined
}

/** Each campaign beside itself in the other window, of which only these days count. */
export function compareCampaigns(
  campaigns: readonly CampaignEntry[],
  before: readonly CampaignEntry[] | undefined,
  beside: readonly (string | undefined)[],
): ComparedCampaign[] {
  const sums = new Map(before && onDays(before, beside).map((campaign) => [campaign.campaignId, sumOf([campaign])]))
  return campaigns.map((campaign) => ({
    campaign,
    sum: sumOf([campaign]),
    sumBefore: sums.get(campaign.campaignId),
  }))
}

/** The campaigns whose name or id has these words, whatever their case. */
export function filterCampaigns(campaigns: readonly CampaignEntry[], search: string): CampaignEntry[] {
  const wanted = search.trim().toLocaleLowerCase()
  return campaigns.filter(({ campaignId, campaignName }) =>
    `${campaignName} ${campaignId}`.toLocaleLowerCase().includes(wanted),
  )
}
