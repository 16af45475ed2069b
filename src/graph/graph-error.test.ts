import { describe, expect, it } from 'vitest'
import {
  classifyGraphError,
  GraphError,
  type GraphErrorKind,
  type GraphOutcome,
  outcomeOf,
  parseGraphErrorBody,
  toApiError,
} from './graph-error.js'

const PHRASE = "Please reduce the amount of data you're asking for, then retry your request"

/** The HTTP status, the platform's error object, and its meaning. */
const CASES: [status: number, error: unknown, kind: GraphErrorKind][] = [
  // Too much data.
  [500, { code: 1, message: PHRASE }, 'too-much-data'],
  [500, { code: 1, error_subcode: 99, message: 'An unknown error occurred', error_user_msg: PHRASE }, 'too-much-data'],
  [
    500,
    { code: 1, error_subcode: 99, message: 'An unknown error occurred', error_user_title: PHRASE },
    'too-much-data',
  ],
  [400, { code: 100, error_subcode: 1487534 }, 'too-much-data'],
  [400, { code: 100, error_subcode: 1504018 }, 'too-much-data'],
  [500, { code: 2, error_subcode: 1504038, is_transient: true }, 'too-much-data'],
  [500, { code: 2, message: PHRASE }, 'too-much-data'],
  [400, { code: 100, error_subcode: 2335012, message: PHRASE }, 'too-much-data'],
  [500, { message: PHRASE }, 'too-much-data'],
  [500, PHRASE, 'too-much-data'],
  // Too much data, or a temporary failure.
  [500, { code: 1, message: 'An unknown error occurred' }, 'maybe-too-much-data'],
  [500, { code: 1, error_subcode: 99, message: 'An unknown error occurred' }, 'maybe-too-much-data'],
  [500, { code: 1, message: 'An unknown error has occurred.', is_transient: true }, 'maybe-too-much-data'],
  [500, { code: 1 }, 'maybe-too-much-data'],
  [500, { code: 2, message: 'An unknown error occurred' }, 'maybe-too-much-data'],
  [500, { message: 'An unknown error occurred' }, 'maybe-too-much-data'],
  // Rate limits.
  [400, { code: 4 }, 'rate-limited'],
  [400, { code: 4, error_subcode: 1504022, is_transient: true }, 'rate-limited'],
  [400, { code: 4, error_subcode: 1504039 }, 'rate-limited'],
  [400, { code: 17, error_subcode: 2446079 }, 'rate-limited'],
  [400, { code: 32 }, 'rate-limited'],
  [400, { code: 341 }, 'rate-limited'],
  [400, { code: 368 }, 'rate-limited'],
  ...[undefined, 1487742, 5044001, 1996].map(
    (error_subcode) => [400, { code: 613, error_subcode }, 'rate-limited'] as [number, unknown, GraphErrorKind],
  ),
  ...[80000, 80001, 80002, 80003, 80004, 80005, 80006, 80008, 80009, 80014].map(
    (code) => [400, { code }, 'rate-limited'] as [number, unknown, GraphErrorKind],
  ),
  [429, undefined, 'rate-limited'],
  // Access token, permissions, proof.
  ...[undefined, 458, 459, 460, 463, 464, 467].map(
    (error_subcode) => [401, { code: 190, error_subcode }, 'credentials'] as [number, unknown, GraphErrorKind],
  ),
  [400, { code: '190' }, 'credentials'],
  [400, { code: 102 }, 'credentials'],
  [400, { code: 104 }, 'credentials'],
  [403, { code: 10 }, 'credentials'],
  [403, { code: 200 }, 'credentials'],
  [403, { code: 294 }, 'credentials'],
  [403, { code: 299 }, 'credentials'],
  [400, { code: 100, error_subcode: 3191001 }, 'credentials'],
  [400, { code: 100, message: 'Invalid appsecret_proof provided in the API argument' }, 'credentials'],
  // Missing or hidden.
  [400, { code: 100, error_subcode: 33 }, 'not-found'],
  [400, { code: 33, message: '(#33) This object does not exist' }, 'not-found'],
  [404, { code: 803, message: '(#803) Some of the aliases you requested do not exist: 1' }, 'not-found'],
  // Our request is wrong.
  [400, { code: 100, message: '(#100) x is not valid for fields param' }, 'invalid'],
  [400, { code: 2500 }, 'invalid'],
  [400, { code: 2635 }, 'invalid'],
  [400, { code: 2642 }, 'invalid'],
  [400, { code: 3018 }, 'invalid'],
  [400, { code: 300 }, 'invalid'],
  [400, { code: -3, error_subcode: 1504045 }, 'invalid'],
  // Temporary.
  [500, { code: 2, message: 'Service temporarily unavailable' }, 'transient'],
  [500, { code: 2, error_subcode: 1504043 }, 'transient'],
  [500, { code: 2, error_subcode: 1504044 }, 'transient'],
  [400, { code: 100, is_transient: true }, 'transient'],
  [500, { code: 987654 }, 'transient'],
  [502, undefined, 'transient'],
  [503, undefined, 'transient'],
  [504, {}, 'transient'],
  // No response at all.
  [200, undefined, 'nonsense'],
  [400, {}, 'nonsense'],
  [400, { code: 'many', message: 7 }, 'nonsense'],
  [400, true, 'nonsense'],
  [404, undefined, 'nonsense'],
]

describe('meta-graph 2: the meaning of an error of the ad platform', () => {
  it.each(CASES)('HTTP %i %j is %s', (status, error, kind) => {
    expect(classifyGraphError(status, parseGraphErrorBody({ error }))).toBe(kind)
  })
})

/** The same for a POST that publishes, and whether it may have been carried out. */
const PUBLISHING_CASES: [status: number, error: unknown, kind: GraphErrorKind, outcome: GraphOutcome][] = [
  // Refused permanently.
  [400, { code: 4, error_subcode: 2207051, is_transient: true }, 'invalid', 'refused'],
  [400, { code: 352, error_subcode: 2207026 }, 'invalid', 'refused'],
  [400, { code: 36004, error_subcode: 2207010 }, 'invalid', 'refused'],
  [400, { code: 506 }, 'invalid', 'refused'],
  [400, { code: 368 }, 'invalid', 'refused'],
  [400, { code: 100, message: '(#100) Invalid parameter' }, 'invalid', 'refused'],
  // Missing: the page or the container.
  [400, { code: 100, error_subcode: 33 }, 'not-found', 'refused'],
  [400, { code: 24, error_subcode: 2207006 }, 'not-found', 'refused'],
  [400, { code: -2, error_subcode: 2207020 }, 'not-found', 'refused'],
  // The media failed before anything was published.
  ...[
    [400, 'refused'] as const,
    // The platform sometimes publishes and still returns its own error.
    [500, 'unknown'] as const,
  ].flatMap(([status, outcome]) =>
    [
      { code: 9004, error_subcode: 2207052 },
      { code: 9004 },
      { code: -1, error_subcode: 2207053, is_transient: true },
      { code: -1, error_subcode: 2207032 },
      { code: 324, error_subcode: 2069019 },
      { code: 389 },
      { code: 6000, error_subcode: 1363037 },
    ].map((error): (typeof PUBLISHING_CASES)[number] => [status, error, 'media', outcome]),
  ),
  // Credentials.
  [400, { code: 25, error_subcode: 2207050 }, 'credentials', 'refused'],
  [401, { code: 190, error_subcode: 463 }, 'credentials', 'refused'],
  [403, { code: 200 }, 'credentials', 'refused'],
  [500, { code: 190 }, 'credentials', 'refused'],
  // Wait.
  [400, { code: 9, error_subcode: 2207042 }, 'rate-limited', 'refused'],
  [400, { code: 4 }, 'rate-limited', 'refused'],
  [400, { code: 32 }, 'rate-limited', 'refused'],
  [400, { code: 80001 }, 'rate-limited', 'refused'],
  [400, { code: 80002 }, 'rate-limited', 'refused'],
  [429, undefined, 'rate-limited', 'refused'],
  // Temporary, and nothing has happened.
  [400, { code: 9007, error_subcode: 2207027 }, 'transient', 'refused'],
  [400, { code: -2, error_subcode: 2207003 }, 'transient', 'refused'],
  [400, { code: 24, error_subcode: 2207008 }, 'transient', 'refused'],
  [500, { code: 24, error_subcode: 2207008 }, 'transient', 'unknown'],
  // Temporary, or possibly carried out.
  [400, { code: 20, error_subcode: 1772107 }, 'invalid', 'unknown'],
  [400, { code: -1, error_subcode: 2207001 }, 'transient', 'unknown'],
  [400, { code: 100, is_transient: true }, 'transient', 'unknown'],
  [400, { code: 2 }, 'transient', 'unknown'],
  [500, { code: 2 }, 'transient', 'unknown'],
  [500, { code: 1, message: 'An unknown error occurred' }, 'maybe-too-much-data', 'unknown'],
  [400, { code: 1, message: 'An unknown error occurred' }, 'maybe-too-much-data', 'unknown'],
  [500, { code: 100, message: '(#100) Invalid parameter' }, 'transient', 'unknown'],
  [500, { code: 9007, error_subcode: 2207027 }, 'transient', 'refused'],
  [200, { code: 100, message: '(#100) Invalid parameter' }, 'invalid', 'unknown'],
  [502, undefined, 'transient', 'unknown'],
  [400, undefined, 'nonsense', 'unknown'],
  [200, undefined, 'nonsense', 'unknown'],
]

describe('meta-graph 4: the meaning of a publishing error, and whether the call may have been carried out', () => {
  it.each(PUBLISHING_CASES)('HTTP %i %j is %s, %s', (status, error, kind, outcome) => {
    const body = parseGraphErrorBody({ error })
    expect(classifyGraphError(status, body, 'POST')).toBe(kind)
    expect(outcomeOf(status, body, kind)).toBe(outcome)
  })
})

describe('errors for the caller of our interface', () => {
  it.each([
    ['too-much-data', 400, 'window_too_heavy', /narrow the window/],
    ['maybe-too-much-data', 502, 'platform_failed', /try again later/],
    ['rate-limited', 503, 'platform_rate_limited', /Retry-After/],
    ['credentials', 502, 'platform_refused', /check the access token/],
    ['not-found', 502, 'platform_refused', /check its id/],
    ['invalid', 502, 'platform_failed', /ask the operator/],
    ['transient', 502, 'platform_failed', /try again later/],
    ['timeout', 504, 'platform_timeout', /try again/],
    ['network', 502, 'platform_failed', /try again later/],
    ['nonsense', 502, 'platform_failed', /try again later/],
  ] as const)('%s becomes %i %s, and says what to do', (kind, status, code, text) => {
    const error = new GraphError(kind, 'detail for the log', { retryAfterSeconds: 7 })
    const apiError = toApiError(error)
    expect(apiError).toMatchObject({ status, code, cause: error, retryAfterSeconds: 7 })
    expect(apiError.message).toMatch(text)
    expect(apiError.message).not.toContain('detail for the log')
  })
})
