/** What the platform's usage headers say, all accounts and use cases together. */
export interface GraphUsage {
  /** The highest share of any quota that is used up; undefined without a usable header. */
  highestPercent: number | undefined
  /** How long no call will succeed; 0 while calls may. */
  blockedSeconds: number
}

/** A day: no quota is longer, so anything above is a mistake that must not silence an account for ever. */
const BLOCKED_SECONDS_MAX = 86_400

/** Reads the usage headers. Each may be absent or malformed: it then says nothing. */
export function readUsage(headers: Headers): GraphUsage {
  const appUsage = readJson(headers, 'x-app-usage')
  const accountUsage = readJson(headers, 'x-ad-account-usage')
  const insightsUsage = readJson(headers, 'x-fb-ads-insights-throttle')
  const useCases = Object.values(readJson(headers, 'x-business-use-case-usage'))
    .flat()
    .filter((useCase): useCase is Record<string, unknown> => typeof useCase === 'object' && useCase !== null)

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
    // Minutes here, seconds there.
    ...useCases.map((useCase) => (toNumber(useCase.estimated_time_to_regain_access) ?? 0) * 60),
    (accountPercent ?? 0) >= 100 ? (toNumber(accountUsage.reset_time_duration) ?? 0) : 0,
  ]
  return {
    highestPercent: percents.length > 0 ? Math.max(...percents) : undefined,
    blockedSeconds: Math.min(BLOCKED_SECONDS_MAX, Math.max(0, ...blockedSeconds)),
  }
}

function readJson(headers: Headers, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(headers.get(name) ?? '{}')
    return value !== null && typeof value === 'object' ? { ...value } : {}
  } catch {
    return {}
  }
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
