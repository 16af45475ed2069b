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

/** The content of a cursor: the position between two pages. */
export interface InsightsPosition {
  /** The platform's cursor. */
  after: string
  /** How many campaigns to request for the next page; a heavy account gets fewer. */
  pageSize: number
}

/** The list that a cursor belongs to: it is valid for no other. */
interface InsightsCursorScope {
  organizationId: string
  adAccountId: string
  window: InsightsWindow
}

/** Changes when the content of cursors does, so that an older one is rejected rather than misread. */
const FORMAT = 1

/** Encodes the opaque `nextCursor` (interface 2.3). */
export const encodeInsightsCursor = (key: Buffer, scope: InsightsCursorScope, position: InsightsPosition): string =>
  encodeCursor(key, macScope(scope), [position.after, position.pageSize])

/**
 * Throws validation_failed (`after`, cursor.invalid) if the cursor is truncated, altered, or belongs to another
 * organization, account or window.
 */
export function decodeInsightsCursor(key: Buffer, scope: InsightsCursorScope, cursor: string): InsightsPosition {
  const [after, pageSize] = readCursor<[string, number]>(
    key,
    macScope(scope),
    cursor,
    'the nextCursor of a response for the same ad account, "startDate" and "endDate"',
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

/** The platform no longer knows the cursor's position. */
function deadCursor(cause: unknown): ApiError {
  return cursorError('is a cursor that the ad platform no longer accepts: start again without it', cause)
}

interface InsightsPageRequest {
  graph: GraphClient
  access: GraphAccess
  adAccountId: string
  window: InsightsWindow
  /** `YYYY-MM-DD`: campaigns created before it are left out (interface 4.2.5). */
  cutoffDate: string
  /** `YYYY-MM-DD` in the ad account's time zone. */
  today: string
  /** The end of the previous page; undefined for the first page. */
  position: InsightsPosition | undefined
}

export interface InsightsPage {
  /** May be empty while there is more (interface 4.2.3). */
  entries: CampaignEntry[]
  /** How many campaigns delivered in the window but are left out, because they were created before the cutoff. */
  leftOut: number
  /** Undefined at the end of the account's campaigns. */
  next: InsightsPosition | undefined
}

const PAGE_DAYS = 500
const PAGE_CAMPAIGNS_MAX = 100

/**
 * Returns the number of campaigns per request: fewer for longer windows (interface 4.2.6), from 100 for a few days to 5 for
 * 93.
 */
export const fullPageSize = (window: InsightsWindow): number =>
  Math.min(PAGE_CAMPAIGNS_MAX, Math.max(1, Math.floor(PAGE_DAYS / daysIn(window))))

/**
 * Reads one page of the marketing-message campaigns that delivered in the window (interface 4.2). It is one page of the
 * platform, requested again in halves from the same cursor while the platform finds it too much. Throws an ApiError:
 * window_too_heavy if the platform refuses even a single campaign, validation_failed (`after`, cursor.invalid) if it no
 * longer knows the position, window_too_old, or platform_*.
 */
export async function readInsightsPage(request: InsightsPageRequest): Promise<InsightsPage> {
  const window = begunPart(request.window, request.today)
  // No campaign delivers before it is created, so no call is needed, and none has dates too old for the platform.
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
      // Grow again only after a page that succeeded at once; otherwise every page would pay for a refusal.
      const pageSize = size === firstSize ? Math.min(fullSize, size * 2) : size
      return { entries, leftOut, next: { after: nextAfter, pageSize } }
    } catch (error) {
      if (!(error instanceof GraphError)) throw error
      const isTooMuch = error.kind === 'too-much-data'
      const isWorthLess = isTooMuch || error.kind === 'maybe-too-much-data' || (error.kind === 'timeout' && !timedOut)
      if (!isWorthLess) throw toApiError(error)
      saidTooMuch ||= isTooMuch
      timedOut ||= error.kind === 'timeout'
      // Only an explicit answer of the platform blames the caller's window; an unknown error blames the platform.
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
