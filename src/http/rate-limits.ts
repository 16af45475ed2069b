import type { LimitsConfig } from '../config/limits.js'
import { ApiError, type ErrorCode } from '../errors.js'
import type { Clock } from '../lib/clock.js'
import { limit } from '../lib/limits.js'
import { createLru } from '../lib/lru.js'
import type { Principal, ServerPrincipal } from './principal.js'

/** Beyond this many, the least recently used bucket is evicted, and starts over full. */
const BUCKETS_MAX = limit('rateBuckets')
/** Answers say what is left once it is below this share. */
const LOW_SHARE = 0.1

export interface Rate {
  /** Requests at once, from a full bucket. */
  burst: number
  /** The time in which an empty bucket fills up. 0 means no limit. */
  windowMs: number
}

/** The rate of a key, with bursts of twice as many. */
export const ratePerSecond = (requests: number): Rate => ({ burst: 2 * requests, windowMs: requests === 0 ? 0 : 2_000 })
/** A rate with its own burst size, which one request may use up. */
export const rateInBursts = (perSecond: number, burst: number): Rate => ({
  burst,
  windowMs: perSecond === 0 ? 0 : (burst / perSecond) * 1000,
})
export const ratePerMinute = (requests: number): Rate => ({ burst: requests, windowMs: requests === 0 ? 0 : 60_000 })
const ratePerHour = (requests: number): Rate => ({ burst: requests, windowMs: requests === 0 ? 0 : 3_600_000 })

/**
 * A token bucket, stored as the instant at which it is full again (the generic cell rate algorithm). A clock that is set
 * back leaves it empty at worst, and one that jumps ahead leaves it full. It is our own because the libraries count in
 * windows, read their own clock, and return promises (docs/decisions/keys.md).
 */
export class Bucket {
  private fullAt = 0
  /** The time that one request takes to refill. */
  private readonly stepMs: number

  constructor(readonly rate: Rate) {
    this.stepMs = rate.windowMs === 0 ? 0 : rate.windowMs / rate.burst
  }

  /**
   * Takes this many tokens, at most a burst. Returns 0, or if there are too few, the milliseconds until there are enough.
   */
  take(nowMs: number, many = 1): number {
    const { windowMs } = this.rate
    const fullAt = this.fullAt > nowMs ? Math.min(this.fullAt, nowMs + windowMs) : nowMs
    const nextFullAt = fullAt + many * this.stepMs
    const waitMs = nextFullAt - nowMs - windowMs
    this.fullAt = waitMs > 0 ? fullAt : nextFullAt
    return Math.max(0, waitMs)
  }

  isLow(nowMs: number): boolean {
    return this.fullAt - nowMs > (1 - LOW_SHARE) * this.rate.windowMs
  }

  /** Returns how many are left, and the milliseconds until it is full again. */
  state(nowMs: number): { left: number; fullInMs: number } {
    const fullInMs = Math.max(0, this.fullAt - nowMs)
    return { left: Math.max(0, Math.floor((this.rate.windowMs - fullInMs) / this.stepMs)), fullInMs }
  }
}

/** One limit, with its buckets by owner. */
class RateLimit {
  private readonly buckets = createLru<string, Bucket>(BUCKETS_MAX)

  constructor(
    /** The name in the RateLimit fields. */
    readonly name: string,
    private readonly code: ErrorCode,
    private readonly rate: Rate,
  ) {}

  /** Returns whether it has a bucket with this id. */
  has(id: string): boolean {
    return this.buckets.has(id)
  }

  bucketOf(id: string, rate = this.rate): Bucket {
    const known = this.buckets.get(id)
    if (known?.rate.burst === rate.burst && known.rate.windowMs === rate.windowMs) return known
    const bucket = new Bucket(rate)
    this.buckets.set(id, bucket)
    return bucket
  }

  /** Takes one token of the bucket; throws the 429. Returns headers for the response if little is left. */
  take(bucket: Bucket, nowMs: number): Record<string, string> | undefined {
    const waitMs = bucket.take(nowMs)
    if (waitMs > 0) throw tooMany(this.code, this.name, bucket.rate, waitMs)
    if (!bucket.isLow(nowMs)) return undefined
    const { left, fullInMs } = bucket.state(nowMs)
    return rateLimitFields(this.name, bucket.rate, left, Math.ceil(fullInMs / 1000))
  }
}

/** Returns the 429 of a limit: Retry-After and the RateLimit fields name the same instant. */
export function tooMany(code: ErrorCode, name: string, rate: Rate, waitMs: number): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return new ApiError(code, { retryAfterSeconds, headers: rateLimitFields(name, rate, 0, retryAfterSeconds) })
}

/**
 * Returns the fields of draft-ietf-httpapi-ratelimit-headers. They need not be on every response, and are sent when little
 * is left.
 */
function rateLimitFields(name: string, rate: Rate, left: number, seconds: number): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${rate.burst};w=${Math.ceil(rate.windowMs / 1000)}`,
    ratelimit: `"${name}";r=${left};t=${seconds}`,
  }
}

/** Creates the limits of a process, for all its surfaces together. */
export function createRateLimits(limits: LimitsConfig) {
  return {
    /** Requests, by key. */
    key: new RateLimit('key', 'rate_limited', ratePerSecond(limits.keyRequestsPerSecond)),
    /** Changes, by person. */
    person: new RateLimit('changes', 'too_many_changes', ratePerMinute(limits.personChangesPerMinute)),
    /** Invitations by people: by organization, and by invited address across organizations. */
    invitations: new RateLimit('invitations', 'too_many_invitations', ratePerHour(limits.invitationsPerHour)),
    invitedAddresses: new RateLimit('invitations', 'too_many_invitations', ratePerHour(limits.invitationsPerAddress)),
    /** Emails to people who forgot their password: by who asks, and by the address named. */
    passwordLinks: new RateLimit('links', 'too_many_links', ratePerHour(limit('passwordLinksPerClient'))),
    passwordLinksOfMail: new RateLimit('links', 'too_many_links', ratePerHour(limit('passwordLinksPerAddress'))),
    /** Imports, by organization. */
    imports: new RateLimit('imports', 'too_many_imports', ratePerMinute(limits.importsPerMinute)),
    insights: new RateLimit('insights', 'too_many_insights', ratePerMinute(limits.insightsPerMinute)),
  }
}

export type RateLimits = ReturnType<typeof createRateLimits>

interface Limited {
  rateLimits: RateLimits
  clock: Clock
}

/** Counts a change. Throws a 429 for a person, or an outsider with a link, who has made as many as a minute allows. */
export function takeChange(
  { rateLimits: { person }, clock }: Limited,
  { actor }: ServerPrincipal,
): Record<string, string> | undefined {
  if (actor.type !== 'user' && actor.type !== 'outsider') return undefined
  return person.take(person.bucketOf(actor.id), clock.now())
}

/** Counts a request of the organization. Throws a 429 if it has none left. */
export function takeOne(
  { rateLimits, clock }: Limited,
  name: 'imports' | 'insights',
  { organizationId }: Principal,
): Record<string, string> | undefined {
  const rateLimit = rateLimits[name]
  return rateLimit.take(rateLimit.bucketOf(organizationId), clock.now())
}
