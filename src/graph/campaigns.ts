import { daysInclusive } from '../lib/dates.js'
import { toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { GraphError } from './graph-error.js'
import { listPages, readData, readNextAfter, requireId, requireText } from './reading.js'

/** Bare dates `YYYY-MM-DD`, both included, in the ad account's own time zone. */
export interface GraphWindow {
  startDate: string
  endDate: string
}

/** One day on which a campaign delivered, as the platform sends it: metric names with strings, plus any other field. */
export interface GraphDay extends Record<string, unknown> {
  /** `YYYY-MM-DD` */
  date_start: string
}

export interface GraphCampaign {
  id: string
  name: string
  /** `YYYY-MM-DDTHH:MM:SS+hhmm`, in the ad account's own offset, which may be negative. */
  createdTime: string
  isMessageCampaign: boolean
}

export interface GraphCampaignWithDays extends GraphCampaign {
  /** In no guaranteed order; empty if nothing was delivered. */
  days: GraphDay[]
  /** True if the platform truncated the days: `listCampaignDays` reads them all. */
  daysAreCut: boolean
}

/** interface 2.3. Both edges use it, so that day rows are the same on either. */
const DAY_FIELDS = [
  'marketing_messages_spend',
  'marketing_messages_delivered',
  'marketing_messages_read_rate',
  'marketing_messages_link_btn_click',
  'marketing_messages_link_btn_click_rate',
  'marketing_messages_cost_per_delivered',
  'marketing_messages_cost_per_link_btn_click',
  'campaign_name',
  'campaign_id',
  'date_start',
  'date_stop',
].join(',')

const CAMPAIGN_FIELDS = 'id,name,created_time,is_message_campaign'

/** Without a filter the platform omits archived campaigns, which may have delivered; deleted ones cannot be listed. */
const EFFECTIVE_STATUSES = JSON.stringify(['ACTIVE', 'PAUSED', 'ARCHIVED', 'IN_PROCESS', 'WITH_ISSUES'])

/** More pages than a window has days means that the platform's paging does not end. */
const DAY_PAGES_MAX = 100

/**
 * Reads one page of an ad account's campaigns of every kind, each with its days in the window. `limit` counts campaigns. A
 * page may hold fewer, even none, and still have a `nextAfter`; the list ends when that is undefined.
 */
export async function listCampaignsPage(
  graph: GraphClient,
  access: GraphAccess,
  page: { adAccountId: string; window: GraphWindow; limit: number; after: string | undefined },
): Promise<{ campaigns: GraphCampaignWithDays[]; nextAfter: string | undefined }> {
  const { adAccountId, window, limit, after } = page
  const days = daysInclusive(window.startDate, window.endDate)
  // Without its own limit the nested edge would return 25 days and silently drop the oldest.
  const insights = `insights.time_range(${timeRange(window)}).time_increment(1).limit(${days}){${DAY_FIELDS}}`
  const answer = await graph.get(
    `/act_${requireId(adAccountId)}/campaigns`,
    {
      fields: `${CAMPAIGN_FIELDS},${insights}`,
      effective_status: EFFECTIVE_STATUSES,
      limit: String(limit),
      ...(after === undefined ? {} : { after }),
    },
    access,
  )
  return { campaigns: readData(answer).map(toCampaignWithDays), nextAfter: readNextAfter(answer, after) }
}

/** Returns the campaign and the digits of its ad account; undefined if it does not exist or the token may not see it. */
export async function findCampaign(
  graph: GraphClient,
  access: GraphAccess,
  campaignId: string,
): Promise<(GraphCampaign & { adAccountId: string }) | undefined> {
  // The account is known only from the response, so a limit on another account of the token must not block this call.
  const ofCampaign = { ...access, limitKey: campaignId }
  try {
    const answer = await graph.get(`/${requireId(campaignId)}`, { fields: `${CAMPAIGN_FIELDS},account_id` }, ofCampaign)
    return { ...toCampaign(answer), adAccountId: requireText(answer.account_id, /^\d+$/, 'an account_id') }
  } catch (error) {
    if (error instanceof GraphError && (error.kind === 'not-found' || isOtherObject(error))) return undefined
    throw error
  }
}

/**
 * True if the id belongs to another object, such as the ad that the platform creates with a message campaign. It then
 * rejects our fields, and gives the type of the object only in the message.
 */
function isOtherObject({ code, message }: GraphError): boolean {
  const field = message.indexOf('nonexisting field ')
  return code === 100 && field >= 0 && / on node type \((?!Campaign\))/.test(message.slice(field))
}

/** Reads every delivered day of one campaign in the window, in no guaranteed order. */
export async function listCampaignDays(
  graph: GraphClient,
  access: GraphAccess,
  campaignId: string,
  window: GraphWindow,
): Promise<GraphDay[]> {
  const days: GraphDay[] = []
  const pages = listPages(graph, access, {
    path: `/${requireId(campaignId)}/insights`,
    params: {
      fields: DAY_FIELDS,
      time_range: timeRange(window),
      time_increment: '1',
      limit: String(daysInclusive(window.startDate, window.endDate)),
    },
    pagesMax: DAY_PAGES_MAX,
  })
  for await (const page of pages) days.push(...page.map(toDay))
  return days
}

const timeRange = ({ startDate, endDate }: GraphWindow): string => JSON.stringify({ since: startDate, until: endDate })

function toCampaign(item: Record<string, unknown>): GraphCampaign {
  return {
    id: requireText(item.id, /^\d+$/, 'a campaign id'),
    name: requireText(item.name, /^/, 'a campaign name'),
    createdTime: requireText(
      item.created_time,
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}$/,
      'a created_time with its offset',
    ),
    isMessageCampaign: item.is_message_campaign === true,
  }
}

function toCampaignWithDays(item: Record<string, unknown>): GraphCampaignWithDays {
  // If nothing was delivered, the platform omits `insights`; null and an empty list would mean the same.
  const insights = toRecord(item.insights)
  const next = toRecord(insights?.paging)?.next
  return {
    ...toCampaign(item),
    days: insights === undefined ? [] : readData(insights).map(toDay),
    daysAreCut: next !== undefined && next !== null,
  }
}

function toDay(item: Record<string, unknown>): GraphDay {
  return { ...item, date_start: requireText(item.date_start, /^\d{4}-\d{2}-\d{2}$/, 'a date_start') }
}
