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

/** A complete answer with any status. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

/**
 * Returns the body of a success. A page is an object with a list in `items`. Throws GreenroomError if the body does not have
 * the expected shape.
 */
export function readBody(answer: Answer, { operation, shape }: { operation: string; shape: Shape }): unknown {
  const body = parseJson(answer.text)
  if (body === undefined) {
    const message = 'The response is not JSON: check that baseUrl is the address of the service.'
    throw new GreenroomError(toFailure(answer, operation, message))
  }
  const isOfShape =
    shape === 'list' ? Array.isArray(body) : isObject(body) && (shape === 'object' || Array.isArray(body.items))
  if (isOfShape) return body
  const message = `The response is JSON, but not the expected ${shape}: check that baseUrl is the address of the service, and its version.`
  throw new GreenroomError(toFailure(answer, operation, message))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The bodies of interface 7, if the server keeps to them. */
interface ErrorBody {
  message?: unknown
  conflicts?: unknown
  error?: unknown
}

/** A 403 with one of these codes means that the credentials were accepted. */
const PERMISSION_CODES = ['permission_missing', 'approval_is_human', 'address_not_allowed']

/** The classes of errors that depend only on the status. */
const KINDS: Record<number, typeof GreenroomError> = {
  304: NotModifiedError,
  400: BadRequestError,
  401: AuthenticationError,
  402: OrganizationInactiveError,
  404: NotFoundError,
  412: PreconditionFailedError,
}

/** Returns the error for a response that is not a success. Its message is the server's own if there is one. */
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
        wrong === '' ? failure : { ...failure, message: `The request is not valid: ${wrong}.` },
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

/** Returns the message for a status if the response has none. */
function defaultMessage(status: number): string {
  if (status === 304) return 'Nothing has changed since the version in the headers of the call.'
  // A browser shows a redirect as status 0.
  if (status < 400)
    return 'The server redirects, and a signed call does not follow redirects: set baseUrl to the new address.'
  if (status === 401 || status === 403) return 'The server refused the key or the token: check them.'
  if (status === 404) return 'Nothing has this id: check the id, and that baseUrl is the address of the service.'
  if (status === 429) return 'Too many requests: try again later.'
  return status < 500 ? `The server refused the call with status ${status}.` : 'The server failed: try again later.'
}

/** Returns an empty body for a response that is not from the service, for example a proxy's. */
function readErrorBody(text: string): ErrorBody {
  const body = parseJson(text)
  return isObject(body) ? body : {}
}

/** Returns undefined for a string that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the objects in a list, and an empty list for any other value. */
const objectsOf = <T extends object>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((item): item is T => isObject(item)) : []

/**
 * Returns Retry-After in milliseconds. Its value is in seconds, or a date, which is compared with the server's clock if the
 * answer includes that.
 */
function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const serverNowMs = Date.parse(headers.get('date') ?? '')
  const waitMs = Date.parse(value) - (Number.isNaN(serverNowMs) ? nowMs : serverNowMs)
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
