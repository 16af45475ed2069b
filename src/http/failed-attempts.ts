import type { FastifyRequest } from 'fastify'
import type { ApiError, ErrorCode } from '../errors.js'
import { groupAddress } from '../lib/addresses.js'
import type { Clock } from '../lib/clock.js'
import { limit } from '../lib/limits.js'
import { createLru } from '../lib/lru.js'
import { doubling } from '../work/backoff.js'
import { tooMany } from './rate-limits.js'

/** Past as many, the one that failed the longest ago is evicted. */
const ADDRESSES_MAX = limit('failedAddresses')
const MINUTE_MS = 60_000
const BACK_OFF = doubling(1_000, limit('failedWaitMs'))

interface Failures {
  count: number
  /** The first failure; from the first wait on the latest one. */
  at: number
  /** The number of waits until now; 0 while there are few failures. */
  waits: number
  /** The present wait. */
  waitMs: number
}

/**
 * Counts failed attempts to authenticate by address, an IPv6 one by its /64, and by known browser. Past so many in
 * a minute an address waits, twice as long after each further failure; after a wait and a minute without one it
 * begins again.
 */
export class FailedAttempts {
  private readonly failures = createLru<string, Failures>(ADDRESSES_MAX)

  /** `perMinute` 0 counts nothing. */
  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** How many addresses have failed; most of the time none, so that a request asks no more than this. */
  get size(): number {
    return this.failures.size
  }

  /** Throws too_many_failures while the address waits. */
  check(address: string): void {
    this.checkKey(groupAddress(address))
  }

  /** The same for a browser that signed in here before, whatever others do at its address. */
  checkDevice(id: string): void {
    this.checkKey(`device ${id}`)
  }

  /** `weight`: how much of a failed attempt it is. */
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

  /** Undefined for an address that begins again: its minute and its wait are over, or the clock was set back. */
  private find(key: string): Failures | undefined {
    const failures = this.failures.get(key)
    if (failures === undefined) return undefined
    const age = this.clock.now() - failures.at
    return age >= 0 && age < failures.waitMs + MINUTE_MS ? failures : undefined
  }
}

/** A password, a code or a link that was tried in vain. Other credentials are counted by their authenticator. */
const FAILED_ATTEMPTS: readonly ErrorCode[] = [
  'sign_in_failed',
  'link_unusable',
  'oidc_state_wrong',
  'oidc_refused',
  'code_wrong',
  'user_code_wrong',
  'passkey_refused',
]
/** A program waits for its person. */
const WAITING: readonly ErrorCode[] = ['authorization_pending', 'slow_down', 'access_denied']
/**
 * Another site can make a visitor's browser send these, and must not lock the visitor out; and a wait does not
 * lengthen itself.
 */
const UNCOUNTED: readonly ErrorCode[] = ['cross_site', 'https_needed', 'too_many_failures', ...WAITING]
/**
 * A call without a credential may go wrong in other ways: a form that is filled in wrongly four times is one
 * attempt.
 */
const MISTAKE_WEIGHT = 0.25

/** Weighs an answer: 1 for a failed attempt, 0 for none. */
function weightOf({ code, status }: ApiError, mayBeMistake: boolean): number {
  if (FAILED_ATTEMPTS.includes(code)) return 1
  return mayBeMistake && status >= 400 && status < 500 && !UNCOUNTED.includes(code) ? MISTAKE_WEIGHT : 0
}

/**
 * True if the browser says that a page of another site sent the request, which can be only a read or a call without the
 * cookie. A program that claims this avoids only the small weight, which helps it guess nothing.
 */
const isOfOtherSite = ({ headers: { 'sec-fetch-site': site = 'none' } }: FastifyRequest): boolean =>
  site !== 'none' && site !== 'same-origin'

/** Counts a refused request against its address, and against the browser that its surface knows. */
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
