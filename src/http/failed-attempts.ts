import { LRUCache } from 'lru-cache'
import { groupAddress } from '../lib/addresses.js'
import type { Clock } from '../lib/clock.js'
import { limit } from '../lib/limits.js'
import { tooMany } from './rate-limits.js'

/** Past as many, the one that failed the longest ago is evicted. */
const ADDRESSES_MAX = limit('failedAddresses')
const MINUTE_MS = 60_000
const FIRST_WAIT_MS = 1_000
const WAIT_MS_MAX = limit('failedWaitMs')

interface Failures {
  count: number
  /** The first failure; from the first wait on the latest one. */
  at: number
  /** 0 while there are few. */
  waitMs: number
}

/**
 * Counts failed attempts to authenticate by address, an IPv6 one by its /64. Past so many in a minute an address waits, twice as
 * long after each further failure; after a wait and a minute without one it begins again.
 */
export class FailedAttempts {
  private readonly addresses = new LRUCache<string, Failures>({ max: ADDRESSES_MAX })

  /** `perMinute` 0 counts nothing. */
  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** How many addresses have failed; most of the time none, so that a request asks no more than this. */
  get size(): number {
    return this.addresses.size
  }

  /** Throws too_many_failures while the address waits. */
  check(address: string): void {
    const failures = this.find(address)
    if (failures === undefined || failures.waitMs === 0) return
    const waitMs = failures.at + failures.waitMs - this.clock.now()
    if (waitMs <= 0) return
    throw tooMany('too_many_failures', 'failures', { burst: this.perMinute, windowMs: MINUTE_MS }, waitMs)
  }

  note(address: string): void {
    if (this.perMinute === 0) return
    const at = this.clock.now()
    const failures = this.find(address) ?? { count: 0, at, waitMs: 0 }
    failures.count += 1
    if (failures.count >= this.perMinute) {
      failures.waitMs = failures.waitMs === 0 ? FIRST_WAIT_MS : Math.min(2 * failures.waitMs, WAIT_MS_MAX)
      failures.at = at
    }
    this.addresses.set(groupAddress(address), failures)
  }

  /** Undefined for an address that begins again: its minute and its wait are over, or the clock was set back. */
  private find(address: string): Failures | undefined {
    if (this.addresses.size === 0) return undefined
    const failures = this.addresses.get(groupAddress(address))
    if (failures === undefined) return undefined
    const age = this.clock.now() - failures.at
    return age >= 0 && age < failures.waitMs + MINUTE_MS ? failures : undefined
  }
}
