import type { EffectName } from '../interface/automation.js'

/** At most `max` calls in any `periodMs`, with up to `burst` at once after a pause. */
interface Pace {
  max: number
  periodMs: number
  burst: number
}

/** Returns the limits of a channel. They are lower than the platform's, so that nothing gets blocked. */
function paceOf(effect: EffectName, privateRepliesPerHour: number): Pace {
  switch (effect) {
    case 'private_reply':
    case 'message':
      return {
        max: privateRepliesPerHour,
        periodMs: 3_600_000,
        burst: Math.max(1, Math.floor(privateRepliesPerHour / 10)),
      }
    case 'public_reply':
      return { max: 60, periodMs: 60_000, burst: 10 }
    case 'like':
      return { max: 20, periodMs: 5_000, burst: 1 }
  }
}

export interface Opening {
  /** The call may be made from this instant on. */
  from: Date
  /** The `open_at` of a lane after a call at `now`. */
  after: Date
  /** The longest gap between two calls that only the limit causes. */
  gapMs: number
}

/**
 * Returns when a lane may make its next call. `openAt` advances by one interval with each call, starting no earlier than
 * now; a burst may run ahead of it.
 */
export function findOpening(
  effect: EffectName,
  openAt: Date | null,
  now: Date,
  privateRepliesPerHour: number,
): Opening {
  const { max, periodMs, burst } = paceOf(effect, privateRepliesPerHour)
  const gapMs = Math.ceil(periodMs / (max - burst + 1))
  const openMs = openAt?.getTime() ?? 0
  return {
    from: new Date(openMs - (burst - 1) * gapMs),
    after: new Date(Math.max(openMs, now.getTime()) + gapMs),
    gapMs,
  }
}
