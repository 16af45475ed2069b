import type { FastifyRequest } from 'fastify'
import type { ApiError, ErrorCode } from '../errors.js'
import { groupAddress } from '../lib/addresses.js'
import type { Clock } from '../lib/clock.js'
import { limit } from '../lib/limits.js'
import { createLru } from '../lib/lru.js'
import { doubling } from '../work/backoff.js'
import { tooMany } from './rate-limits.js'

/** Beyond this many, the address that failed longest ago is evicted. */
const ADDRESSES_MAX = limit('failedAddresses')
const MINUTE_MS = 60_000
const BACK_OFF = doubling(1_000, limit('failedWaitMs'))

interface Failures {
  count: number
  /** The first failure; from the first wait on, the latest one. */
  at: number
  /** The number of waits so far; 0 while there are few failures. */
  waits: number
  /** The current wait. */
  waitMs: number
}

/**
 * Counts failed attempts to authenticate by address (for IPv6 by its /64) and by known browser. After too many in a minute
 * an address must wait, twice as long after each further failure. It starts over after a wait and a minute without failures.
 */
export class FailedAttempts {
  private readonly failures = createLru<string, Failures>(ADDRESSES_MAX)

  /** `perMinute` 0 turns counting off. */
  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** The number of addresses with failures; usually 0, so that a request checks nothing else. */
  get size(): number {
    return this.failures.size
  }

  /** Throws too_many_failures while the address must wait. */
  check(address: string): void {
    this.checkKey(groupAddress(address))
  }

  /** The same for a browser that has signed in here before, regardless of others at its address. */
  checkDevice(id: string): void {
    this.checkKey(`device ${id}`)
  }

  /** `weight` is the fraction of a failed attempt. */
  note(address: string, weight = 1): void {
    this.noteKey(groupAddress(address), weight)
  }

  noteDevice(id: string, weight = 1): void {
    this.noteKey(`device ${id}`, weight)
  }

  private checkKey(key: string): void {
    const failures = this.find(key)
    if (failures === undefined || failures.waitMs === 0) return
    const waitMs = failures.at + failures.waitMs - this.clock.now()
    if (waitMs <= 0) return
    throw tooMany('too_many_failures', 'failures', { burst: this.perMinute, windowMs: MINUTE_MS }, waitMs)
  }

  private noteKey(key: string, weight: number): void {
    if (this.perMinute === 0) return
    const at = this.clock.now()
    const failures = this.find(key) ?? { count: 0, at, waits: 0, waitMs: 0 }
    failures.count += weight
    if (failures.count >= this.perMinute) {
      failures.waitMs = BACK_OFF.after(failures.waits++)
      failures.at = at
    }
    this.failures.set(key, failures)
  }

  /** Returns undefined for an address that starts over: its minute and its wait are over, or the clock was set back. */
  private find(key: string): Failures | undefined {
    const failures = this.failures.get(key)
    if (failures === undefined) return undefined
    const age = this.clock.now() - failures.at
    return age >= 0 && age < failures.waitMs + MINUTE_MS ? failures : undefined
  }
}

/** A password, code or link that was wrong. Authenticators count other credentials. */
const FAILED_ATTEMPTS: readonly ErrorCode[] = [
  'sign_in_failed',
  'link_unusable',
  'oidc_state_wrong',
  'oidc_refused',
  'code_wrong',
  'user_code_wrong',
  'passkey_refused',
]
/** A program is waiting for its person. */
const WAITING: readonly ErrorCode[] = ['authorization_pending', 'slow_down', 'access_denied']
/**
 * Another site can make a visitor's browser send these, and must not lock the visitor out. And a wait must not extend
 * itself.
 */
const UNCOUNTED: readonly ErrorCode[] = ['cross_site', 'https_needed', 'too_many_failures', ...WAITING]
/** A call without a credential may go wrong in other ways: four wrongly completed forms count as one attempt. */
const MISTAKE_WEIGHT = 0.25

/** Weighs a response: 1 for a failed attempt, 0 for none. */
function weightOf({ code, status }: ApiError, mayBeMistake: boolean): number {
  if (FAILED_ATTEMPTS.includes(code)) return 1
  return mayBeMistake && status >= 400 && status < 500 && !UNCOUNTED.includes(code) ? MISTAKE_WEIGHT : 0
}

/**
 * Returns whether the browser says that a page of another site sent the request, which can only be a read or a call without
 * the cookie. A program that claims this avoids only the small weight, which does not help it guess.
 */
const isOfOtherSite = ({ headers: { 'sec-fetch-site': site = 'none' } }: FastifyRequest): boolean =>
  site !== 'none' && site !== 'same-origin'

/** Counts a refused request against its address, and against the browser that its surface recognized. */
export function noteFailure(
  { failedAttempts }: { failedAttempts: FailedAttempts },
  request: FastifyRequest,
  error: ApiError,
  takesNoCredential: boolean,
): void {
  const { ip, state } = request
  const weight = weightOf(error, takesNoCredential && !isOfOtherSite(request))
  if (weight === 0) return
  failedAttempts.note(ip, weight)
  const device = state?.caller?.principal.device
  if (device !== undefined) failedAttempts.noteDevice(device.id, weight)
}
