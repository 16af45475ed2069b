import type { GraphError } from '../graph/graph-error.js'
import type { EffectReason } from '../interface/automation.js'

/** The meaning of the failure of a call that answers a comment. */
export type EffectFailure =
  | { is: 'refused'; reason: EffectReason }
  /** The call may have been carried out, and is never repeated. */
  | { is: 'unknown' }
  /** The call was certainly not carried out, and may be repeated. */
  | { is: 'wait'; reason: 'throttled' | 'unreachable'; waitMs: number | null }
  /** A problem with the access token. */
  | { is: 'token' }
  | { is: 'permission' }
  /** The platform considers the channel abusive. */
  | { is: 'blocked' }

/** Keys are `code/subcode`, or `code/` for every subcode. */
const REFUSALS: Readonly<Record<string, EffectReason>> = {
  // Facebook returns it also if someone at the page replied.
  '10900/': 'already_replied',
  '10903/': 'not_replyable',
  // Instagram returns it if the reply was used, is too late, or the comment is not eligible.
  '100/2534025': 'not_eligible',
  '10/2534022': 'window',
  '10/2018278': 'window',
  '551/': 'unavailable',
  // The person is not a tester of the app.
  '10/2018108': 'unavailable',
  // The person does not exist.
  '100/2018001': 'unavailable',
  '100/2534014': 'unavailable',
  '10/2018300': 'other_app',
}

/** A template was sent to a person who does not follow; comes as a code or as the subcode of any code. */
const TO_NON_FOLLOWER = 1545133
/** Suspected spam; comes with the code of the app-wide limit. */
const SPAM_SUBCODE = 2207051

/**
 * Classifies the failure of a call that answers a comment. The platform's codes decide; without one, the kind of failure
 * does.
 */
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
