import type { PlatformHealth } from '../interface/generated/types.js'
import { addDays, daysInclusive, toBareDate } from '../lib/dates.js'

type PlatformApi = NonNullable<PlatformHealth['api']>

/**
 * A version of Meta's API, with bare dates. We use both APIs: the Marketing API for insights, the Graph API for
 * everything else.
 */
interface GraphVersion {
  version: string
  released: string
  /** The day on which each API ends, if Meta has announced it. */
  ends: Partial<Record<PlatformApi, string>>
}

/**
 * The newest first. From Meta's tables as they were in November 2026:
 * https://developers.facebook.com/documentation/development/graph-api/changelog
 * https://developers.facebook.com/documentation/ads-commerce/marketing-api/marketing-api-changelog/versions
 */
export const GRAPH_VERSIONS: readonly GraphVersion[] = [
  { version: 'v27.0', released: '2026-11-04', ends: {} },
  { version: 'v26.0', released: '2026-07-29', ends: {} },
  { version: 'v25.0', released: '2026-02-18', ends: { marketing: '2027-02-23', graph: '2028-07-29' } },
  { version: 'v24.0', released: '2025-10-08', ends: { marketing: '2026-11-10', graph: '2028-02-18' } },
  { version: 'v23.0', released: '2025-05-29', ends: { marketing: '2026-06-09', graph: '2027-10-08' } },
  { version: 'v22.0', released: '2025-01-21', ends: { marketing: '2026-02-19', graph: '2027-05-20' } },
  { version: 'v21.0', released: '2024-10-02', ends: { marketing: '2025-09-09', graph: '2027-01-21' } },
  { version: 'v20.0', released: '2024-05-21', ends: { marketing: '2025-05-06', graph: '2026-09-24' } },
]

/** The version that is called unless GRAPH_VERSION is set. */
export const NEWEST_VERSION = GRAPH_VERSIONS[0]!.version

const WARNING_DAYS = 60

interface End {
  api: PlatformApi
  endsOn: string
}

/** Returns the announced ends of a version, earliest first. */
export function endsOf(version: string, table = GRAPH_VERSIONS): End[] {
  const ends = Object.entries(table.find((known) => known.version === version)?.ends ?? {})
  return ends
    .map(([api, endsOn]) => ({ api: api as PlatformApi, endsOn }))
    .toSorted((a, b) => (a.endsOn < b.endsOn ? -1 : 1))
}

/** Rates a version by the current day in UTC. Tests pass another table. */
export function judgeGraphVersion(version: string, nowMs: number, table = GRAPH_VERSIONS): PlatformHealth {
  const newest = table[0]!.version
  const judged = (state: PlatformHealth['state'], found: PlatformHealth['found'], end?: End): PlatformHealth => ({
    ...{ part: 'platform', state, found, version },
    ...(version !== newest && { newest }),
    ...end,
  })
  const known = table.find((one) => one.version === version)
  if (known === undefined) {
    return numberOf(version) > numberOf(newest) ? judged('good', 'newer') : judged('warning', 'unknown')
  }
  const [first] = endsOf(version, table)
  const daysLeft = daysUntil(first?.endsOn, nowMs)
  if (daysLeft < 0) return judged('bad', 'ended', first)
  if (daysLeft <= WARNING_DAYS) return judged('warning', 'ending', first)
  // An end that was announced after this release is not in its table.
  const earliest = known.ends.marketing ?? addDays(known.released, shortestLifeDays(table))
  return daysUntil(earliest, nowMs) <= WARNING_DAYS
    ? judged('warning', 'unannounced')
    : judged('good', 'supported', first)
}

const daysUntil = (date: string | undefined, nowMs: number): number =>
  date === undefined ? Number.POSITIVE_INFINITY : daysInclusive(toBareDate(nowMs), date) - 1

/** The Marketing API ends first: some of its versions lasted less than a year. */
function shortestLifeDays(table: readonly GraphVersion[]): number {
  return Math.min(
    ...table.flatMap(({ released, ends: { marketing } }) =>
      marketing === undefined ? [] : [daysInclusive(released, marketing) - 1],
    ),
  )
}

/** Converts `v27.0` to 27.0; NaN for anything else, which compares as neither older nor newer. */
const numberOf = (version: string): number =>
  /^v\d{1,3}\.\d{1,2}$/.test(version) ? Number(version.slice(1)) : Number.NaN
