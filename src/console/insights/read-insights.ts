import type {
  CampaignEntry,
  CountedInsightsList,
  GetCampaignDailyInsightsQuery,
} from '../../interface/generated/types.ts'
import { ApiError, call } from '../api.ts'
import { type ReadPage, readPages } from '../list.tsx'

export interface Progress {
  pages: number
  campaigns: number
  /** Set while the platform asks for a wait. */
  waitSeconds?: number | undefined
}

/** A longer wait is reported as an error. */
const WAIT_SECONDS_MAX = 60
const WAITS_MAX = 3

/** The campaigns that delivered in a window, and how many are left out. */
export interface WindowInsights {
  campaigns: CampaignEntry[]
  /** The number of campaigns created before `cutoffDate`. */
  leftOut: number
  cutoffDate: string
}

/** Reads every campaign of the window page by page, waiting when the platform asks for it. Throws an ApiError. */
export async function readInsights(
  organizationId: string,
  adAccountId: string,
  window: GetCampaignDailyInsightsQuery,
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<WindowInsights> {
  let pages = 0
  let leftOut = 0
  let cutoffDate = ''
  let waits = 0
  const readPage = async (query: { after?: string }, campaigns: number): Promise<CountedInsightsList> => {
    for (;;) {
      onProgress({ pages, campaigns })
      try {
        const input = { organizationId, adAccountId, query: { ...window, ...query } }
        const page = await call('listOrganizationDailyInsights', input, { signal })
        pages += 1
        leftOut += page.leftOut
        cutoffDate = page.cutoffDate
        return page
      } catch (error) {
        const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
        if (seconds === undefined || seconds > WAIT_SECONDS_MAX || waits === WAITS_MAX) throw error
        waits += 1
        onProgress({ pages, campaigns, waitSeconds: seconds })
        await wait(seconds * 1000, signal)
      }
    }
  }
  const read: ReadPage<CampaignEntry> = async (query, _options, found) => {
    const { items, mayHaveMore, nextCursor } = await readPage(query, found)
    return { items, nextCursor: mayHaveMore ? nextCursor : null }
  }
  const { items: campaigns } = await readPages(read, { signal })
  return { campaigns, leftOut, cutoffDate }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
