import { ApiError, type ErrorCode } from '../errors.js'
import type { Unreached } from './unreached.js'

/** The meaning of a failed call, whatever text the platform chose. */
export type GraphErrorKind =
  /** The platform said that we asked for too much at once: ask for less. */
  | 'too-much-data'
  /** The platform's "unknown error", which it also returns if we ask for too much. The call was tried twice. */
  | 'maybe-too-much-data'
  | 'rate-limited'
  /** A problem with the access token, its permissions or its proof. */
  | 'credentials'
  /** The object does not exist, or the access token may not see it. */
  | 'not-found'
  /** The request, or what it would publish, is not accepted: repeating it does not help. */
  | 'invalid'
  /** The platform failed to process the media before anything was published; it may succeed a little later. */
  | 'media'
  | 'transient'
  | 'timeout'
  | 'network'
  /** The response is not a JSON object, or lacks a requested field. */
  | 'nonsense'

/**
 * `refused` means that the failed call certainly had no effect, `unknown` that it may have had one. Neither says anything
 * about repeating the call: one refused for a temporary reason (`transient`) may succeed later.
 */
export type GraphOutcome = 'refused' | 'unknown'

export interface GraphErrorOptions {
  /** `unknown` if omitted. */
  outcome?: GraphOutcome
  /** A text for people; the message if omitted. */
  userText?: string
  status?: number
  code?: number
  subcode?: number
  /** The id that the platform's support asks for. */
  fbtraceId?: string
  /** After this a call may succeed again; set for `rate-limited`. */
  retryAfterSeconds?: number
  /** Why no connection was made, in which case nothing was sent. */
  unreached?: Unreached | undefined
  /** The owner of the limit; set for `rate-limited`. */
  limitOf?: LimitOf | undefined
  cause?: unknown
}

/** A limit of the platform applies to the app, to one page or account, or to the account's posts per day. */
export type LimitOf = 'app' | 'account' | 'posts'

/** A failed call to the ad platform. The message is for the log: it may quote the platform, but never an access token. */
export class GraphError extends Error {
  readonly kind: GraphErrorKind
  readonly outcome: GraphOutcome
  /** The platform's own text for people, if it sent one. It is short and has no access token. */
  readonly userText: string
  readonly status: number | undefined
  readonly code: number | undefined
  readonly subcode: number | undefined
  readonly fbtraceId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly unreached: Unreached | undefined
  readonly limitOf: LimitOf | undefined

  constructor(kind: GraphErrorKind, message: string, options: GraphErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'GraphError'
    this.kind = kind
    this.outcome = options.outcome ?? 'unknown'
    this.userText = options.userText || message
    this.status = options.status
    this.code = options.code
    this.subcode = options.subcode
    this.fbtraceId = options.fbtraceId
    this.retryAfterSeconds = options.retryAfterSeconds
    this.unreached = options.unreached
    this.limitOf = options.limitOf
  }
}

/** The platform's `error` object, as far as it can be trusted. Its texts may still contain secrets. */
export interface GraphErrorBody {
  code: number | undefined
  subcode: number | undefined
  message: string
  /** The texts meant for a person: in some forms only these say what is wrong. */
  userTexts: string
  /** The fullest of `userTexts`; often empty. */
  userMessage: string
  isTransient: boolean
  fbtraceId: string | undefined
}

/** Reads the `error` member of a response; undefined if there is none. Any field may be missing or malformed. */
export function parseGraphErrorBody(answer: Record<string, unknown>): GraphErrorBody | undefined {
  const { error } = answer
  if (error === undefined || error === null) return undefined
  const fields: Record<string, unknown> =
    typeof error === 'object' ? { ...error } : { message: typeof error === 'string' ? error : '' }
  return {
    code: toInteger(fields.code),
    subcode: toInteger(fields.error_subcode),
    message: toText(fields.message),
    userTexts: `${toText(fields.error_user_title)} ${toText(fields.error_user_msg)}`.trim(),
    userMessage: toText(fields.error_user_msg),
    isTransient: fields.is_transient === true,
    fbtraceId: toText(fields.fbtrace_id) || undefined,
  }
}

const TOO_MUCH_DATA_PHRASE = /reduce the amount of data/i
const UNKNOWN_ERROR_PHRASE = /an unknown error (has )?occurred/i
const PROOF_PHRASE = /appsecret_proof/i

/** `code/subcode` pairs that ask for less data without using the phrase. */
const TOO_MUCH_DATA = new Set(['100/1487534', '100/1504018', '2/1504038'])

/** Codes that concern the whole app, and so every account read with it. */
const APP_LIMIT_CODES = new Set<number | undefined>([4, 341])
/** With code 4 these mean that the platform's insights are under load, for every ad account and nothing else. */
const ADS_APP_LIMIT_SUBCODES = new Set<number | undefined>([1504022, 1504039])
/** 368 is a block for policy reasons: further reads make it longer, as with a limit. */
const ACCOUNT_LIMIT_CODES = new Set([17, 32, 368, 613])
const isBusinessUseCaseLimit = (code: number): boolean => code >= 80_000 && code <= 80_014

const CREDENTIAL_CODES = new Set([10, 102, 104, 190])
const isPermissionCode = (code: number): boolean => code >= 200 && code <= 299

/** `code/subcode`: the container is not ready yet, or the platform took too long to fetch the media. */
export const CONTAINER_NOT_READY = '9007/2207027'
export const MEDIA_TOO_SLOW = '-2/2207003'
/** The platform could not publish a container that exists. */
const PUBLISH_AGAIN = '24/2207008'

/** `code/subcode` pairs of publishing that mean something other than their code, or than an unknown code. */
const PUBLISHING_KINDS: Readonly<Record<string, GraphErrorKind>> = {
  // Suspected spam. It comes with the code of the app-wide limit, but no wait ends it.
  '4/2207051': 'invalid',
  // The account's own quota of posts per day.
  '9/2207042': 'rate-limited',
  // The account is restricted until a person acts in the Instagram app.
  '25/2207050': 'credentials',
  [CONTAINER_NOT_READY]: 'transient',
  [MEDIA_TOO_SLOW]: 'transient',
  [PUBLISH_AGAIN]: 'transient',
  // The container no longer exists.
  '-2/2207020': 'not-found',
  '24/2207006': 'not-found',
}

/** Media failures: the platform could not fetch or prepare the media. The same media often succeed a little later. */
const MEDIA_SUBCODES: ReadonlySet<number | undefined> = new Set([
  // Instagram: a container could not be made, an upload failed for an unknown reason, or nothing could be fetched.
  ...[2207032, 2207053, 2207052],
  // A page's photo is missing or unreadable.
  2069019,
])
/** The same with any subcode or none: nothing could be fetched (Instagram, a page's video), or a video's upload failed. */
const MEDIA_CODES: ReadonlySet<number | undefined> = new Set([9004, 389, 6000])
const isMediaFailure = ({ code, subcode }: Pick<GraphErrorBody, 'code' | 'subcode'>): boolean =>
  MEDIA_SUBCODES.has(subcode) || MEDIA_CODES.has(code)

/** Returns whether the reason for a container's failure is one that a new container often avoids. */
export const namesMediaFailure = (reason: string): boolean =>
  (reason.match(/\b\d{7}\b/g) ?? []).some((number) => MEDIA_SUBCODES.has(Number(number)))

/** Temporary errors that are returned before anything is published. */
const REFUSED_FOR_NOW = new Set([MEDIA_TOO_SLOW, PUBLISH_AGAIN])
/** A comment that got this response is known to have been posted. */
const DONE_DESPITE_ERROR = '20/1772107'
const REFUSED_KINDS: ReadonlySet<GraphErrorKind> = new Set(['rate-limited', 'credentials', 'not-found'])

/** Returns whether the platform asks for the same call again, in 30 seconds to two minutes. */
export const isAskedForAgain = ({ code, subcode }: Pick<GraphErrorBody, 'code' | 'subcode'>): boolean =>
  `${code}/${subcode}` === PUBLISH_AGAIN

/** Returns whether a rate limit is the account's own quota of posts: publishing waits, other calls continue. */
export const isPublishingQuota = (body: Pick<GraphErrorBody, 'code' | 'subcode'>): boolean =>
  body.code === 9 && body.subcode === 2207042

/** Returns whether a rate limit applies to the app as a whole rather than to one account. */
export const isAppLimit = ({ code }: Pick<GraphErrorBody, 'code'>): boolean => APP_LIMIT_CODES.has(code)

/** Returns whose limit caused a refusal. Without a body, it is the limit of the called page or account. */
export function limitOf(body: Pick<GraphErrorBody, 'code' | 'subcode'> | undefined): LimitOf {
  if (body === undefined) return 'account'
  return isPublishingQuota(body) ? 'posts' : isAppLimit(body) ? 'app' : 'account'
}

/** Returns whether an app limit applies only to its ad accounts. */
export const isAdsAppLimit = ({ subcode }: Pick<GraphErrorBody, 'subcode'>): boolean =>
  ADS_APP_LIMIT_SUBCODES.has(subcode)

/**
 * Classifies an error answer. The platform's HTTP status says little and its `type` nothing, so the code and subcode decide;
 * `status` counts only if they are missing or unknown.
 */
export function classifyGraphError(
  status: number,
  body: GraphErrorBody | undefined,
  method: 'GET' | 'POST' = 'GET',
): GraphErrorKind {
  if (body !== undefined) {
    const { code, subcode, message, userTexts, isTransient } = body
    const publishing = PUBLISHING_KINDS[`${code}/${subcode}`]
    if (publishing !== undefined) return publishing
    if (method === 'POST' && isMediaFailure(body)) return 'media'
    // The platform considers the post abusive, which no wait changes.
    if (code === 368 && method === 'POST') return 'invalid'
    if (code !== undefined) {
      if (isAppLimit(body) || ACCOUNT_LIMIT_CODES.has(code) || isBusinessUseCaseLimit(code)) return 'rate-limited'
      if (TOO_MUCH_DATA.has(`${code}/${subcode}`)) return 'too-much-data'
    }
    if (TOO_MUCH_DATA_PHRASE.test(`${message} ${userTexts}`)) return 'too-much-data'
    if (code !== undefined && (CREDENTIAL_CODES.has(code) || isPermissionCode(code))) return 'credentials'
    if (code === 100 && (subcode === 3191001 || PROOF_PHRASE.test(message))) return 'credentials'
    if (code === 1 || subcode === 99) return 'maybe-too-much-data'
    if ((code === undefined || code === 2) && UNKNOWN_ERROR_PHRASE.test(message)) return 'maybe-too-much-data'
    if (isTransient || code === 2 || code === -1) return 'transient'
    if (code === 33 || code === 803 || (code === 100 && subcode === 33)) return 'not-found'
    if (code !== undefined && status < 500) return 'invalid'
  }
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'transient' : 'nonsense'
}

/**
 * Returns whether the call behind this response may have been carried out. The platform is known to publish and still return
 * an error of its own, so only a refusal for a reason checked beforehand, or a 4xx, is certain.
 */
export function outcomeOf(status: number, body: GraphErrorBody | undefined, kind: GraphErrorKind): GraphOutcome {
  if (REFUSED_KINDS.has(kind)) return 'refused'
  if (body === undefined) return 'unknown'
  const code = `${body.code}/${body.subcode}`
  // A container that is not ready cannot have been published.
  if (code === CONTAINER_NOT_READY) return 'refused'
  if (code === DONE_DESPITE_ERROR) return 'unknown'
  const isClientError = status >= 400 && status < 500
  return isClientError && (kind === 'invalid' || kind === 'media' || REFUSED_FOR_NOW.has(code)) ? 'refused' : 'unknown'
}

/** Returns a GraphError, and rethrows anything else. */
export function requireGraphError(error: unknown): GraphError {
  if (error instanceof GraphError) return error
  throw error
}

/** Returns whether the platform no longer knows the cursor that was sent: the item it pointed at is gone. */
export const isDeadCursor = ({ code, message }: GraphError): boolean =>
  code === 2642 || (code === 100 && /invalid cursor/i.test(message))

/** Returns whether the window begins before the 37 months for which the platform keeps insights. */
const isTooOld = ({ code }: GraphError): boolean => code === 3018

const API_ERROR_CODES: Record<GraphErrorKind, ErrorCode> = {
  'too-much-data': 'window_too_heavy',
  'maybe-too-much-data': 'platform_failed',
  'rate-limited': 'platform_rate_limited',
  credentials: 'platform_refused',
  'not-found': 'platform_refused',
  invalid: 'platform_failed',
  media: 'platform_failed',
  transient: 'platform_failed',
  timeout: 'platform_timeout',
  network: 'platform_failed',
  nonsense: 'platform_failed',
}

/** Kinds for which the catalogue's text ("try again later") would mislead the caller. */
const MESSAGES: Partial<Record<GraphErrorKind, string>> = {
  'not-found':
    'The ad platform does not let us read the ad account or campaign: ask the operator to check its id and the permissions of the access token.',
  invalid: 'The ad platform rejected the form of our request: ask the operator to look up the request id in the log.',
}

/** Returns the error for the caller of our interface (502, 503, 504, or 400 for its window); the rest stays in `cause`. */
export function toApiError(error: GraphError): ApiError {
  if (isTooOld(error)) return new ApiError('window_too_old', { cause: error })
  return new ApiError(API_ERROR_CODES[error.kind], {
    message: MESSAGES[error.kind],
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds,
  })
}

/** Returns the response; a GraphError becomes the ApiError for the caller of our interface. */
export async function orApiError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw error instanceof GraphError ? toApiError(error) : error
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

function toInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) : undefined
}
