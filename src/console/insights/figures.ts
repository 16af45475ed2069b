import type { CampaignEntry, DayRow, GetCampaignDailyInsightsQuery } from '../../interface/generated/types.ts'
import { type ComparedWith, daysBeside, daysOf } from './window.ts'

export const METRICS = [
  ...(['spend', 'delivered', 'readRate', 'clicks', 'clickRate', 'costPerDelivered', 'costPerClick'] as const),
]
export type Metric = (typeof METRICS)[number]

/** Rates are percentages; the difference of two rates is in points. */
export const isRate = (metric: Metric): boolean => metric === 'readRate' || metric === 'clickRate'

/** Figures that can be summed. Rates and costs are derived from them, so that those of a sum are weighted. */
export interface Figures {
  spend: number
  delivered: number
  /** Deliveries with a reported read rate. */
  rated: number
  /** The number of these that were read. */
  read: number
  clicks: number
  /** Deliveries with reported clicks. */
  clickable: number
}

const NOTHING: Figures = { spend: 0, delivered: 0, rated: 0, read: 0, clicks: 0, clickable: 0 }

/** Parses a platform metric, a number in a string; undefined for anything else. */
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
    // The rate is a percentage.
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

/** Sums the figures of all days of the campaigns. */
export const sumOf = (campaigns: readonly CampaignEntry[]): Figures =>
  campaigns
    .flatMap(({ days }) => days)
    .map(figuresOf)
    .reduce(add, NOTHING)

/** Sums the campaigns' figures per day. */
function byDay(campaigns: readonly CampaignEntry[]): Map<string, Figures> {
  const found = new Map<string, Figures>()
  for (const { days } of campaigns) {
    for (const day of days) found.set(day.date_start, add(found.get(day.date_start) ?? NOTHING, figuresOf(day)))
  }
  return found
}

/** Returns a rate in percent or a cost per unit; undefined without a divisor. */
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

/** Returns a metric's value; undefined without figures. */
export const metricOf = (figures: Figures | undefined, metric: Metric): number | undefined =>
  figures && VALUES[metric](figures)

/** Returns the change in percent, or in points for a rate; undefined if there is nothing to compare. */
export function changeOf(now: number | undefined, before: number | undefined, metric: Metric): number | undefined {
  if (now === undefined || before === undefined) return undefined
  if (isRate(metric)) return now - before
  return before === 0 ? undefined : (100 * (now - before)) / before
}

/** A day of a window, and the day that it is compared with. */
export interface ComparedDay {
  day: string
  /** Undefined if the other window has no such day. */
  dayBefore: string | undefined
  figures: Figures | undefined
  figuresBefore: Figures | undefined
}

/** Two windows compared, in total and day by day. */
export interface Comparison {
  sum: Figures
  /** Undefined until the other window has been read. */
  sumBefore: Figures | undefined
  days: ComparedDay[]
}

/** Compares a window with another, optionally for only one campaign. */
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

/** Keeps only these days, so that 29 February is not counted against a year without one. */
function onDays(campaigns: readonly CampaignEntry[], days: readonly (string | undefined)[]): CampaignEntry[] {
  const kept = new Set(days)
  return campaigns.map((campaign) => ({ ...campaign, days: campaign.days.filter((day) => kept.has(day.date_start)) }))
}

/** A campaign's total beside its total in the other window, where it is undefined if nothing was delivered. */
export interface ComparedCampaign {
  campaign: CampaignEntry
  sum: Figures
  sumBefore: Figures | undefined
}

/** Compares each campaign with itself in the other window, over these days only. */
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

/** Finds campaigns by name or id, ignoring case. */
export function filterCampaigns(campaigns: readonly CampaignEntry[], search: string): CampaignEntry[] {
  const wanted = search.trim().toLocaleLowerCase()
  return campaigns.filter(({ campaignId, campaignName }) =>
    `${campaignName} ${campaignId}`.toLocaleLowerCase().includes(wanted),
  )
}
