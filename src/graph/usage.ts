import { parseJson, toRecord } from '../lib/json.js'

/** The business use case that a call counts toward, and that limits it. */
type UseCase = 'ads' | 'pages' | 'instagram' | 'messenger'

/** The object of a call, for the platform's limits. */
export interface LimitedObject {
  /** The id of the ad account, page or Instagram account. */
  limitKey: string
  useCase: UseCase
}

/** The platform's usage headers, as far as they concern the called object and the app. */
export interface GraphUsage {
  /** The highest share of any quota that is used; undefined without a usable header. */
  highestPercent: number | undefined
  /** How long no call of the object will succeed, in seconds; 0 if calls may. It says nothing about the app as a whole. */
  blockedSeconds: number
}

/** A day. No quota is longer, so a larger value is an error, which must not silence an account forever. */
const BLOCKED_SECONDS_MAX = 86_400

/** The values of `type` in the header. A page of campaigns with their insights counts toward both ads types. */
const TYPES: Record<UseCase, readonly unknown[]> = {
  ads: ['ads_insights', 'ads_management'],
  pages: ['pages'],
  instagram: ['instagram'],
  messenger: ['messenger'],
}

/** Reads the usage headers. A header that is absent or malformed is ignored. */
export function readUsage(headers: Headers, { limitKey, useCase }: LimitedObject): GraphUsage {
  const appUsage = readJson(headers, 'x-app-usage')
  const accountUsage = useCase === 'ads' ? readJson(headers, 'x-ad-account-usage') : {}
  const insightsUsage = useCase === 'ads' ? readJson(headers, 'x-fb-ads-insights-throttle') : {}
  // The header also lists other accounts and use cases of the token's business.
  const useCases = Object.entries(readJson(headers, 'x-business-use-case-usage'))
    .filter(([id]) => id === limitKey || id === `act_${limitKey}`)
    .flatMap(([, entries]) => entries)
    .filter((entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null)
    .filter(({ type }) => TYPES[useCase].includes(type))

  const accountPercent = toNumber(accountUsage.acc_id_util_pct)
  const percents = [
    accountPercent,
    toNumber(insightsUsage.app_id_util_pct),
    toNumber(insightsUsage.acc_id_util_pct),
    ...[appUsage, ...useCases].flatMap(({ call_count, total_time, total_cputime }) =>
      [call_count, total_time, total_cputime].map(toNumber),
    ),
  ].filter((percent) => percent !== undefined)
  const blockedSeconds = [
    // This header counts minutes; the others count seconds.
    ...useCases.map((entry) => (toNumber(entry.estimated_time_to_regain_access) ?? 0) * 60),
    (accountPercent ?? 0) >= 100 ? (toNumber(accountUsage.reset_time_duration) ?? 0) : 0,
  ]
  return {
    highestPercent: percents.length > 0 ? Math.max(...percents) : undefined,
    blockedSeconds: Math.min(BLOCKED_SECONDS_MAX, Math.max(0, ...blockedSeconds)),
  }
}

const readJson = (headers: Headers, name: string): Record<string, unknown> =>
  toRecord(parseJson(headers.get(name) ?? '{}')) ?? {}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
