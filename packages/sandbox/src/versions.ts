/** A version's release date and, if known, the date on which it ends. */
type Lifespan = readonly [released: string, ends?: string]

/** https://developers.facebook.com/docs/graph-api/changelog/versions, and the blog post of 2026-11-04. */
export const GRAPH_VERSIONS: Readonly<Record<string, Lifespan>> = {
  'v27.0': ['2026-11-04'],
  'v26.0': ['2026-07-29'],
  'v25.0': ['2026-02-18', '2028-07-29'],
  'v24.0': ['2025-10-08', '2028-02-18'],
  'v23.0': ['2025-05-29', '2027-10-08'],
  'v22.0': ['2025-01-21', '2027-05-20'],
  'v21.0': ['2024-10-02', '2027-01-21'],
  'v20.0': ['2024-05-21', '2026-09-24'],
  'v19.0': ['2024-01-23', '2026-05-21'],
  'v18.0': ['2023-09-12', '2026-01-26'],
  'v17.0': ['2023-05-23', '2025-09-12'],
  'v16.0': ['2023-02-02', '2025-05-14'],
  'v15.0': ['2022-09-15', '2024-11-20'],
  'v14.0': ['2022-05-25', '2024-09-17'],
  'v13.0': ['2022-02-08', '2024-05-28'],
  'v12.0': ['2021-09-14', '2024-02-08'],
  'v11.0': ['2021-06-08', '2023-09-14'],
  'v10.0': ['2021-02-23', '2023-06-08'],
  'v9.0': ['2020-11-10', '2023-02-23'],
  'v8.0': ['2020-08-04', '2022-11-01'],
  'v7.0': ['2020-05-05', '2022-08-04'],
  'v6.0': ['2020-02-03', '2022-05-05'],
  'v5.0': ['2019-10-29', '2022-02-03'],
  'v4.0': ['2019-07-29', '2021-11-02'],
  'v3.3': ['2019-04-30', '2021-08-03'],
  'v3.2': ['2018-10-23', '2021-05-04'],
  'v3.1': ['2018-07-26', '2020-10-27'],
  'v3.0': ['2018-05-01', '2020-07-28'],
}

/** For campaigns and ad accounts, versions end earlier: .../marketing-api/marketing-api-changelog/versions. */
export const MARKETING_VERSIONS: Readonly<Record<string, Lifespan>> = {
  'v27.0': ['2026-11-04'],
  'v26.0': ['2026-07-29'],
  'v25.0': ['2026-02-18', '2027-02-23'],
  'v24.0': ['2025-10-08', '2026-11-10'],
  'v23.0': ['2025-05-29', '2026-06-09'],
  'v22.0': ['2025-01-21', '2026-02-19'],
}

/**
 * From this date on, new apps may not use multi-ID requests, date formats, method overrides, aliases or JSONP, whatever
 * the version.
 */
export const LEGACY_ENDS = Date.parse('2026-11-04')

const isReleased = ([released]: Lifespan, now: number): boolean => Date.parse(released) <= now
const hasEnded = ([, ends]: Lifespan, now: number): boolean => ends !== undefined && Date.parse(ends) <= now
const isUsable = (lifespan: Lifespan | undefined, now: number): boolean =>
  lifespan !== undefined && isReleased(lifespan, now) && !hasEnded(lifespan, now)

/** Lists the usable versions, newest first. */
const usable = (versions: typeof GRAPH_VERSIONS, now: number): string[] =>
  Object.keys(versions).filter((version) => isUsable(versions[version], now))

/**
 * Returns the version that a call runs on: the requested one, or the oldest usable one if it has ended or is missing.
 * Returns undefined if it does not exist or is not released yet.
 */
export function versionFor(requested: string, now: number): string | undefined {
  const lifespan = Object.hasOwn(GRAPH_VERSIONS, requested) ? GRAPH_VERSIONS[requested]! : undefined
  if (requested !== '' && (lifespan === undefined || !isReleased(lifespan, now))) return undefined
  return isUsable(lifespan, now) ? requested : usable(GRAPH_VERSIONS, now).at(-1)
}

/** Returns undefined if calls about campaigns may use this version, and otherwise the newest usable one. */
export function marketingVersionInstead(requested: string, now: number): string | undefined {
  const listed = usable(MARKETING_VERSIONS, now)
  return listed.includes(requested) ? undefined : (listed[0] ?? '')
}

const numberOf = (version: string): number => Number(version.slice(1))

/** Returns whether a rule applies. A bound is a version, or a date from which on it holds for every version. */
export function isInForce(
  { since, until }: { since?: string; until?: string },
  { version, now }: { version: string; now: number },
): boolean {
  const isFrom = (bound: string): boolean =>
    bound.startsWith('v') ? numberOf(version) >= numberOf(bound) : now >= Date.parse(bound)
  return (since === undefined || isFrom(since)) && (until === undefined || !isFrom(until))
}
