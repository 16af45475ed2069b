import { BadRequest, ok, type SandboxAnswer } from './answers.js'
import { DAY_MS } from './lib/dates.js'
import { requireParam } from './publications.js'
import type { SandboxCall, SandboxNode } from './route.js'

const PERIODS = { day: 1, week: 7, days_28: 28 } as const

/** The metrics, with the day since which a metric no longer exists. */
const METRICS: Readonly<Record<string, string | undefined>> = {
  page_media_view: undefined,
  page_total_media_view_unique: undefined,
  page_post_engagements: undefined,
  page_follows: undefined,
  page_views_total: undefined,
  page_video_views: undefined,
  page_impressions: '2025-11-15',
  page_fans: '2025-11-15',
  page_fan_adds: '2025-11-15',
  page_impressions_unique: '2026-06-15',
  page_impressions_paid_unique: '2026-06-15',
}

/** The insights of a page: the sandbox has none, so every value is 0. One retired metric fails the whole call. */
export function pageInsights({ query, now }: SandboxCall, { id }: SandboxNode): SandboxAnswer {
  const names = requireParam(query, 'metric').split(',')
  for (const name of names) if (!isThere(name, now)) throw new BadRequest('The value must be a valid insights metric')
  const period = query.period ?? 'day'
  if (!Object.hasOwn(PERIODS, period)) throw new BadRequest('Param period must be one of {DAY, WEEK, DAYS_28}')
  const end = Math.floor(now / DAY_MS) * DAY_MS
  const values = [end - DAY_MS, end].map((at) => ({
    value: 0,
    end_time: `${new Date(at).toISOString().slice(0, 19)}+0000`,
  }))
  return ok({ data: names.map((name) => ({ name, period, values, id: `${id}/insights/${name}/${period}` })) })
}

function isThere(name: string, now: number): boolean {
  if (!Object.hasOwn(METRICS, name)) return false
  const gone = METRICS[name]
  return gone === undefined || now < Date.parse(gone)
}
