import type { GraphError } from '../graph/graph-error.js'
import type { EffectReason } from '../interface/automation.js'

/** The class of a failed call that answers a comment. */
export type EffectFailure =
  | { is: 'refused'; reason: EffectReason }
  /** The call may have been carried out: it is never made again. */
  | { is: 'unknown' }
  /** Proven not to have been carried out: it may be made again. */
  | { is: 'wait'; reason: 'throttled' | 'unreachable'; waitMs: number | null }
  /** The access token. */
  | { is: 'token' }
  | { is: 'permission' }
  /** The platform takes the channel for abusive. */
  | { is: 'blocked' }

/** By `code/subcode`, and for every subcode by `code/`. */
const REFUSALS: Readonly<Record<string, EffectReason>> = {
  // Facebook: also where a person of the page replied.
  '10900/': 'already_replied',
  '10903/': 'not_replyable',
  // Instagram: used, too old or not eligible.
  '100/2534025': 'not_eligible',
  '10/2534022': 'window',
  '10/2018278': 'window',
  '551/': 'unavailable',
  // Not a tester of the app.
  '10/2018108': 'unavailable',
  // There is no such person.
  '100/2018001': 'unavailable',
  '100/2534014': 'unavailable',
  '10/2018300': 'other_app',
}

/** A template, to a person who does not follow: as a code or as the subcode of any. */
const TO_NON_FOLLOWER = 1545133
/** Suspected spam, with the code of the app-wide limit. */
const SPAM_SUBCODE = 2207051

/** Classifies the failure of a call of comments.ts. The platform's codes decide, and without one the kind of the failure. */
export function classifyEffectFailure(error: GraphError): EffectFailure {
  const { code, subcode, kind, outcome, retryAfterSeconds } = error
  if (code === TO_NON_FOLLOWER || subcode === TO_NON_FOLLOWER) return { is: 'refused', reason: 'not_a_follower' }
  const reason = REFUSALS[`${code}/${subcode}`] ?? REFUSALS[`${code}/`]
  if (reason !== undefined) return { is: 'refused', reason }
  if (code === 368 || (code === 4 && subcode === SPAM_SUBCODE)) return { is: 'blocked' }
  if (kind === 'rate-limited') {
    return {
      is: 'wait',
      reason: 'throttled',
      waitMs: retryAfterSeconds === undefined ? null : retryAfterSeconds * 1000,
    }
  }
  if (code === 10 || (code !== undefined && code >= 200 && code <= 299)) return { is: 'permission' }
  if (kind === 'credentials') return { is: 'token' }
  if (kind === 'not-found') return { is: 'refused', reason: 'comment_deleted' }
  if (outcome === 'unknown') return { is: 'unknown' }
  if (kind === 'invalid') return { is: 'refused', reason: 'refused' }
  return { is: 'wait', reason: 'unreachable', waitMs: null }
}
