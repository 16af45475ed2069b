import { createHash } from 'node:crypto'
import type { GraphConfig } from '../config/graph.js'
import type { Clock } from '../lib/clock.js'
import type { GraphAccess } from './graph-call.js'
import { GraphError, type GraphErrorBody, isAdsAppLimit, isAppLimit, isPublishingQuota } from './graph-error.js'
import { loginOf } from './login.js'
import { RateLimits } from './rate-limits.js'
import type { GraphUsage } from './usage.js'

/** The delay when the platform limits us without saying for how long. */
const LIMIT_SECONDS_DEFAULT = 60
const LIMIT_SECONDS_MAX = 86_400
/** The app's own quota is for a rolling hour. */
const APP_LIMIT_SECONDS_MAX = 3600
/** The quota of posts is for a rolling day and frees up post by post; the platform does not say when. */
const QUOTA_SECONDS = 3600
/** From this share of a quota on, calls that yield leave the rest to other calls. */
const YIELD_PERCENT = 75
/** After this long the next yielding call is made, and shows the current usage. */
const YIELD_SECONDS = 300
/** A limit on one kind of call, such as likes. */
const CALL_LIMIT_CODE = 613

/** A response that refused a call because of a limit. */
interface Refusal {
  body: GraphErrorBody | undefined
  usage: GraphUsage
  headers: Headers
  /** The platform's text for people, without access tokens. */
  words: string
}

/** The platform's limits, by the account or app they apply to. */
export interface CallLimits {
  /** Throws a GraphError while the platform limits such calls, with the text of the call that it refused. */
  requireUnlimited(access: GraphAccess): void
  /** Blocks the account for as long as the usage headers say, and its yielding calls while usage is high. */
  noteUsage(access: GraphAccess, usage: GraphUsage): void
  /** Blocks whatever a rate limit of the platform applies to; returns for how many seconds. */
  noteLimit(access: GraphAccess, refusal: Refusal): number
}

export function createCallLimits(
  { appSecret, instagramAppSecret }: Pick<GraphConfig, 'appSecret' | 'instagramAppSecret'>,
  clock: Clock,
): CallLimits {
  const limits = new RateLimits()

  /**
   * The key of an app-wide limit. With the app secret of its login, every token belongs to that one app. Without it, tokens
   * may belong to different apps, and one organization's app must not silence another's. The key is a digest, so that no
   * token is kept.
   */
  function appKey({ accessToken }: GraphAccess): string {
    const login = loginOf(accessToken)
    const secret = login === 'instagram' ? instagramAppSecret : appSecret
    return secret === undefined
      ? `app of ${createHash('sha256').update(accessToken).digest('base64')}`
      : `app of ${login}`
  }

  /** The key of the insights' load, which is separate from pages. */
  const adsAppKey = (access: GraphAccess): string => `${appKey(access)} ads`

  /** Limits of an account are per app. */
  const accountKey = (access: GraphAccess): string => `${appKey(access)} ${access.useCase} ${access.limitKey}`

  /** The key of the account's yielding calls. */
  const yieldingKey = (access: GraphAccess): string => `${accountKey(access)} yielding`

  function limitedKey(access: GraphAccess, body: GraphErrorBody | undefined): string {
    if (body !== undefined && isAppLimit(body)) return isAdsAppLimit(body) ? adsAppKey(access) : appKey(access)
    return access.yields && body?.code === CALL_LIMIT_CODE ? yieldingKey(access) : accountKey(access)
  }

  const block = (key: string, seconds: number, words?: string): void =>
    limits.block(key, { untilMs: clock.now() + seconds * 1000, words })

  return {
    requireUnlimited(access) {
      const keys = [
        accountKey(access),
        appKey(access),
        ...(access.useCase === 'ads' ? [adsAppKey(access)] : []),
        ...(access.yields ? [yieldingKey(access)] : []),
      ]
      const now = clock.now()
      const last = limits.findLast(keys, now)
      if (last === undefined) return
      throw new GraphError('rate-limited', 'not called: the ad platform still limits our calls', {
        outcome: 'refused',
        ...(last.words === undefined ? {} : { userText: last.words }),
        retryAfterSeconds: Math.ceil((last.untilMs - now) / 1000),
        limitOf: last.key === appKey(access) ? 'app' : 'account',
      })
    },
    noteUsage(access, { blockedSeconds, highestPercent = 0 }) {
      if (highestPercent >= YIELD_PERCENT) block(yieldingKey(access), YIELD_SECONDS)
      if (blockedSeconds > 0) block(accountKey(access), blockedSeconds)
    },
    noteLimit(access, { body, usage, headers, words }) {
      if (body !== undefined && isPublishingQuota(body)) return QUOTA_SECONDS
      const isOfApp = body !== undefined && isAppLimit(body)
      // The times in the headers are those of one account; they do not apply to the app as a whole.
      const wanted = (isOfApp ? 0 : usage.blockedSeconds) || Number(headers.get('retry-after')) || LIMIT_SECONDS_DEFAULT
      const seconds = Math.min(isOfApp ? APP_LIMIT_SECONDS_MAX : LIMIT_SECONDS_MAX, Math.max(1, Math.ceil(wanted)))
      block(limitedKey(access, body), seconds, words)
      return seconds
    },
  }
}
