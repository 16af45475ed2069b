import type { CampaignEntry, InsightsWindow } from '../../interface/insights.ts'
import { ApiError, listDailyInsights } from '../api.ts'

export interface Progress {
  pages: number
  campaigns: number
  /** Set while the platform asks to wait. */
  waitSeconds?: number | undefined
}

/** The longest that one waits for by itself; after that the refusal is shown. */
const WAIT_SECONDS_MAX = 60
const WAITS_MAX = 3

/** Every campaign of the window, page by page from the platform. Throws an ApiError. */
export async function readInsights(
  organizationId: string,
  adAccountId: string,
  window: InsightsWindow,
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<CampaignEntry[]> {
  const found: CampaignEntry[] = []
  let after: string | undefined
  let waits = 0
  for (let pages = 0; ; ) {
    onProgress({ pages, campaigns: found.length })
    try {
      const query = { ...window, ...(after === undefined ? {} : { after }) }
      const page = await listDailyInsights(organizationId, adAccountId, query, { signal })
      pages += 1
      found.push(...page.items)
      if (!page.mayHaveMore || page.nextCursor === null) return found
      after = page.nextCursor
    } catch (error) {
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
      if (seconds === undefined || seconds > WAIT_SECONDS_MAX || waits === WAITS_MAX) throw error
      waits += 1
      onProgress({ pages, campaigns: found.length, waitSeconds: seconds })
      await wait(seconds * 1000, signal)
    }
  }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
