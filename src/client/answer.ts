import type { Shape } from '../interface/calls.js'
import type { HashtagConflict, ValidationDetail } from '../interface/generated/types.js'
import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  type Failure,
  GreenroomError,
  NotFoundError,
  NotModifiedError,
  OrganizationInactiveError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.js'

/** A whole answer, whatever its status. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

/**
 * The body of a success; a page is an object whose `items` are a list. Throws GreenroomError where it is not of the
 * shape that its caller counts on.
 */
export function readBody<Body>(answer: Answer, { operation, shape }: { operation: string; shape: Shape }): Body {
  const body = parseJson(answer.text)
  if (body === undefined) {
    const message = 'The answer is not JSON: check that baseUrl leads to the service.'
    throw new GreenroomError(toFailure(answer, operation, message))
  }
  const isOfShape =
    shape === 'list' ? Array.isArray(body) : isObject(body) && (shape === 'object' || Array.isArray(body.items))
  if (isOfShape) return body as Body
  const message = `The answer is JSON, but no ${shape}: check that baseUrl leads to the service, and its version.`
  throw new GreenroomError(toFailure(answer, operation, message))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The bodies of interface 7, as far as the server keeps to them. */
interface ErrorBody {
  message?: unknown
  conflicts?: unknown
  error?: unknown
}

/** These codes of a 403 come with accepted credentials. */
const PERMISSION_CODES = ['permission_missing', 'approval_is_human', 'address_not_allowed']

/** The errors that are no more than their status. */
const KINDS: Record<number, typeof GreenroomError> = {
  304: NotModifiedError,
  400: BadRequestError,
  401: AuthenticationError,
  402: OrganizationInactiveError,
  404: NotFoundError,
  412: PreconditionFailedError,
}

/** The error for an answer that is no success, with the server's own message if there is one. */
export function toError(answer: Answer, operation: string, nowMs: number): GreenroomError {
  const { status } = answer
  const body = readErrorBody(answer.text)
  const failure = toFailure(answer, operation, typeof body.message === 'string' ? body.message : defaultMessage(status))
  const Kind = KINDS[status]
  if (Kind !== undefined) return new Kind(failure)
  switch (status) {
    case 403:
      return PERMISSION_CODES.includes(failure.code ?? '')
        ? new PermissionError(failure)
        : new AuthenticationError(failure)
    case 409:
      return new ConflictError(failure, objectsOf<HashtagConflict>(body.conflicts))
    case 422: {
      const details = objectsOf<ValidationDetail>(body.error)
      const wrong = details.flatMap(({ message }) => (typeof message === 'string' ? [message] : [])).join('; ')
      return new ValidationError(
        wrong === '' ? failure : { ...failure, message: `The request is wrong: ${wrong}.` },
        details,
      )
    }
    case 429:
      return new RateLimitError(failure, readRetryAfter(answer.headers, nowMs))
  }
  return status >= 500 ? new ServerError(failure, readRetryAfter(answer.headers, nowMs)) : new GreenroomError(failure)
}

const toFailure = ({ status, headers }: Answer, operation: string, message: string): Failure => ({
  message,
  operation,
  status,
  code: headers.get('x-error-code') ?? undefined,
  requestId: headers.get('x-request-id') ?? undefined,
})

/** The message for a status when the answer has none. */
function defaultMessage(status: number): string {
  if (status === 304) return 'Nothing has changed since the version that the headers of the call name.'
  // A browser shows a redirect as status 0.
  if (status < 400) return 'The server redirects, and a signed call does not follow: set baseUrl to the new address.'
  if (status === 401 || status === 403) return 'The server refuses the key or the token: check them.'
  if (status === 404) return 'There is nothing with this id: check the id, and that baseUrl leads to the service.'
  if (status === 429) return 'The server is called too often: try again later.'
  return status < 500 ? `The server refuses the call with status ${status}.` : 'The server failed: try again later.'
}

/** Empty for an answer that is not the service's, but that of a proxy before it. */
function readErrorBody(text: string): ErrorBody {
  const body = parseJson(text)
  return isObject(body) ? body : {}
}

/** Undefined for a text that is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Gives the objects in a list, and nothing for a value that is no list. */
const objectsOf = <T extends object>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((item): item is T => isObject(item)) : []

/**
 * Retry-After in milliseconds. It is seconds, or a date that is compared with the server's own clock if the answer has
 * it.
 */
function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const serverNowMs = Date.parse(headers.get('date') ?? '')
  const waitMs = Date.parse(value) - (Number.isNaN(serverNowMs) ? nowMs : serverNowMs)
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
