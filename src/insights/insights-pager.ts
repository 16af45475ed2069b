import { ApiError } from '../errors.js'
import { type GraphCampaignWithDays, listCampaignDays, listCampaignsPage } from '../graph/campaigns.js'
import type { GraphAccess } from '../graph/graph-call.js'
import type { GraphClient } from '../graph/graph-client.js'
import { GraphError, isDeadCursor, toApiError } from '../graph/graph-error.js'
import { encodeCursor, readCursor } from '../http/cursor.js'
import { cursorError } from '../http/detail.js'
import type { CampaignEntry } from '../interface/generated/types.js'
import { isCreatedBefore, toCampaignEntry } from './day-row.js'
import { begunPart, daysIn, type InsightsWindow } from './insights-window.js'

/** Between two pages: what a cursor carries. */
export interface InsightsPosition {
  /** The platform's cursor. */
  after: string
  /** How many campaigns to ask for in the next page; a heavy account is asked for fewer. */
  pageSize: number
}

/** The list of a cursor: it opens in no other one. */
interface InsightsCursorScope {
  organizationId: string
  adAccountId: string
  window: InsightsWindow
}

/** Changes with what a cursor carries, so that an earlier one is refused rather than misread. */
const FORMAT = 1

/** The opaque `nextCursor` (interface 2.3). */
export const encodeInsightsCursor = (key: Buffer, scope: InsightsCursorScope, position: InsightsPosition): string =>
  encodeCursor(key, macScope(scope), [position.after, position.pageSize])

/** Throws validation_failed (`after`, cursor.invalid) when cut, altered, or of another organization, account or window. */
export function decodeInsightsCursor(key: Buffer, scope: InsightsCursorScope, cursor: string): InsightsPosition {
  const [after, pageSize] = readCursor<[string, number]>(
    key,
    macScope(scope),
    cursor,
    'the nextCursor of an answer for the same ad account, "startDate" and "endDate"',
  )!
  return { after, pageSize }
}

const macScope = ({ organizationId, adAccountId, window }: InsightsCursorScope): readonly unknown[] => [
  FORMAT,
  organizationId,
  adAccountId,
  window.startDate,
  window.endDate,
]

/** The platform no longer knows the place that the cursor names. */
function deadCursor(cause: unknown): ApiError {
  return cursorError('names a place that the ad platform no longer knows: begin again without it', cause)
}

interface InsightsPageRequest {
  graph: GraphClient
  access: GraphAccess
  adAccountId: string
  window: InsightsWindow
  /** `YYYY-MM-DD`: campaigns created before it are left out (interface 4.2.5). */
  cutoffDate: string
  /** `YYYY-MM-DD` where the ad account is. */
  today: string
  /** Where the page before ended; undefined for the first page. */
  position: InsightsPosition | undefined
}

export interface InsightsPage {
  /** May be empty while there is more (interface 4.2.3). */
  entries: CampaignEntry[]
  /** How many campaigns delivered in the window and are left out, because they were created before the cutoff. */
  leftOut: number
  /** Undefined at the end of the account's campaigns. */
  next: InsightsPosition | undefined
}

const PAGE_DAYS = 500
const PAGE_CAMPAIGNS_MAX = 100

/** Campaigns in one request: fewer the longer the window (interface 4.2.6), 100 for a few days, 5 for 93. */
export const fullPageSize = (window: InsightsWindow): number =>
  Math.min(PAGE_CAMPAIGNS_MAX, Math.max(1, Math.floor(PAGE_DAYS / daysIn(window))))

/**
 * One page of the marketing-message campaigns that delivered in the window (interface 4.2): one page of the platform,
 * asked for again in halves from the same cursor while the platform finds it too much. Throws an ApiError:
 * window_too_heavy when it refuses a single campaign, validation_failed (`after`, cursor.invalid) when it no longer
 * knows the position, window_too_old, else platform_*.
 */
export async function readInsightsPage(request: InsightsPageRequest): Promise<InsightsPage> {
  const window = begunPart(request.window, request.today)
  // No campaign delivers before it is created: no call is needed, and none with dates too old for the platform.
  if (window === undefined || window.endDate < request.cutoffDate) return { entries: [], leftOut: 0, next: undefined }

  const fullSize = fullPageSize(window)
  const firstSize = Math.min(fullSize, request.position?.pageSize ?? fullSize)
  let size = firstSize
  let saidTooMuch = false
  let timedOut = false
  for (;;) {
    try {
      const { entries, leftOut, nextAfter } = await readPage({ ...request, window }, size)
      if (nextAfter === undefined) return { entries, leftOut, next: undefined }
      // Grow again only after a page that went well at once: else every page would pay for a refusal.
      const pageSize = size === firstSize ? Math.min(fullSize, size * 2) : size
      return { entries, leftOut, next: { after: nextAfter, pageSize } }
    } catch (error) {
      if (!(error instanceof GraphError)) throw error
      const isTooMuch = error.kind === 'too-much-data'
      const isWorthLess = isTooMuch || error.kind === 'maybe-too-much-data' || (error.kind === 'timeout' && !timedOut)
      if (!isWorthLess) throw toApiError(error)
      saidTooMuch ||= isTooMuch
      timedOut ||= error.kind === 'timeout'
      // Only the platform's own word makes it the caller's window; an unknown error alone is the platform's.
      if (size === 1) throw saidTooMuch ? new ApiError('window_too_heavy', { cause: error }) : toApiError(error)
      size = Math.floor(size / 2)
    }
  }
}

async function readPage(
  request: InsightsPageRequest,
  limit: number,
): Promise<{ entries: CampaignEntry[]; leftOut: number; nextAfter: string | undefined }> {
  const { graph, access, adAccountId, window, cutoffDate, position } = request
  const page = await listCampaignsPage(graph, access, { adAccountId, window, limit, after: position?.after }).catch(
    (error) => {
      throw position !== undefined && error instanceof GraphError && isDeadCursor(error) ? deadCursor(error) : error
    },
  )
  const entries: CampaignEntry[] = []
  let leftOut = 0
  for (const campaign of page.campaigns) {
    if (!campaign.isMessageCampaign) continue
    if (isCreatedBefore(campaign, cutoffDate)) {
      if (campaign.days.length > 0) leftOut += 1
      continue
    }
    const days = await allDays(request, campaign)
    if (days.length > 0) entries.push(toCampaignEntry(campaign, days))
  }
  return { entries, leftOut, nextAfter: page.nextAfter }
}

async function allDays({ graph, access, window }: InsightsPageRequest, campaign: GraphCampaignWithDays) {
  return campaign.daysAreCut ? await listCampaignDays(graph, access, campaign.id, window) : campaign.days
}
