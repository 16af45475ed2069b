import type { WaitReason } from '../interface/post-waits.js'
import type { Clock } from '../lib/clock.js'
import { type BackOff, giveUpAfter, repeatLast } from '../work/backoff.js'
import { isAhead } from '../work/claim.js'
import { type PublicationChange, type PublicationRow, WAIT_MS_MAX } from './publications.store.js'

/** A step's clock and its jitter. */
interface Timing {
  clock: Clock
  /** Lengthens a wait, so that publications postponed together are not retried together. */
  jitter(ms: number): number
}

/** Delays after a temporary failure. */
export const BACK_OFF = repeatLast(10_000, 30_000, 120_000, 300_000)
/** Delays after the platform asked for the same call again. */
export const ASKED_AGAIN = repeatLast(30_000, 60_000, 90_000)
/** Delays after the platform failed to process the media: three tries in ten minutes. */
const MEDIA_TRIES = giveUpAfter(60_000, 480_000)
/** The shortest time between two replacements of a container. */
const RENEW_MS = 3_600_000
/** Delays between checks while the platform processes the media. */
const POLLING = repeatLast(5_000, 10_000, 15_000, 30_000, 60_000)
/** Delays before each search for a post whose call got no response: ten minutes in all. */
export const SEARCHES = giveUpAfter(10_000, 20_000, 30_000, 60_000, 120_000, 180_000, 180_000)

export const GOING_ON = { error: null, next_attempt_at: null, wait_reason: null } as const satisfies PublicationChange
export const PUBLISHED = { state: 'PUBLISHED', ...GOING_ON } as const satisfies PublicationChange

export const failed = (reason: string): PublicationChange => ({ state: 'FAILED', ...GOING_ON, error: reason })

/** Postpones the next try by `waitMs`, or by the back-off if that is undefined. */
export function putOff(
  turn: Timing,
  row: PublicationRow,
  {
    wait = 'processing',
    reason,
    waitMs,
    backOff = POLLING,
  }: { wait?: WaitReason; reason: string; waitMs?: number; backOff?: BackOff },
): PublicationChange {
  const nextAttemptAt = after(turn, waitMs ?? backOff.after(row.attempts))
  return { attempts: row.attempts + 1, error: reason, wait_reason: wait, next_attempt_at: nextAttemptAt }
}

export const searchAgain = (
  turn: Timing,
  { error, waitMs }: { error: string | null; waitMs: number },
): PublicationChange => ({
  error,
  wait_reason: 'answer_lost',
  next_attempt_at: after(turn, waitMs),
})

/** Prepares the media again a few times, because the same media often succeed a little later. */
export function afterMediaFailure(turn: Timing, row: PublicationRow, reason: string): PublicationChange {
  const waitMs = MEDIA_TRIES.after(row.media_failures)
  if (waitMs === undefined) return failed(reason)
  const change = putOff(turn, row, { wait: 'media_unreachable', reason, waitMs })
  return { ...change, container_id: null, media_failures: row.media_failures + 1 }
}

/**
 * Drops the prepared object so that the next step prepares it again, at most once an hour: containers are limited per
 * account, and a post gets no more than two an hour. Until then the prepared object is tried again.
 */
export function renew(turn: Timing, row: PublicationRow, change: PublicationChange): PublicationChange {
  const now = new Date(turn.clock.now())
  if (isAhead(row.renewed_at && new Date(row.renewed_at.getTime() + RENEW_MS), now, RENEW_MS)) return change
  return { ...change, container_id: null, renewed_at: now }
}

/** The instant `ms` from now, plus jitter. */
export const after = ({ clock, jitter }: Timing, ms: number): Date =>
  new Date(clock.now() + Math.min(jitter(ms), WAIT_MS_MAX))
