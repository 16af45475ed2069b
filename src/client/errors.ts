import type { HashtagConflict, ValidationDetail } from '../interface/generated/types.js'

/** A failed call. */
export interface Failure {
  /** The message says what happened and what to do about it. */
  message: string
  /** The operation that was called, such as `listVipUsers`. */
  operation: string
  /** The status of the answer. Undefined when there was none. */
  status?: number | undefined
  /** The `x-error-code` header, such as `post_not_found`. Undefined when the server sends none. */
  code?: string | undefined
  /** The `x-request-id` header, to quote to the server's operator. */
  requestId?: string | undefined
  cause?: unknown
}

/** A failed call, except one that the caller aborted. The classes below tell the kinds apart. */
export class GreenroomError extends Error implements Failure {
  readonly operation: string
  readonly status: number | undefined
  readonly code: string | undefined
  readonly requestId: string | undefined

  constructor({ message, operation, status, code, requestId, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause })
    this.operation = operation
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

/** 304, to a call with `If-None-Match` among its headers: nothing has changed since the caller read it. */
export class NotModifiedError extends GreenroomError {}

/** 400: a rule is broken, such as an unknown channel or a time in the past. */
export class BadRequestError extends GreenroomError {}

/** 401 or 403: the key, its secret or the operator's token is not accepted, or may not do this. */
export class AuthenticationError extends GreenroomError {}

/** 403 where the credentials are accepted: they may not do this, or not from this address. */
export class PermissionError extends AuthenticationError {}

/** 402: the organization of the key is inactive. */
export class OrganizationInactiveError extends GreenroomError {}

/** 404: there is no such thing, or it is another organization's. */
export class NotFoundError extends GreenroomError {}

/** 409: it conflicts with what exists. */
export class ConflictError extends GreenroomError {
  constructor(
    failure: Failure,
    /** Hashtags that are in use on a channel (interface 2.5); empty for a conflict of another kind. */
    readonly conflicts: HashtagConflict[],
  ) {
    super(failure)
  }
}

/** 412: the post has changed since the version in `ifMatch`. */
export class PreconditionFailedError extends GreenroomError {}

/** 422: the request has the wrong shape. */
export class ValidationError extends GreenroomError {
  constructor(
    failure: Failure,
    /** Everything that is wrong with it (interface 7). */
    readonly details: ValidationDetail[],
  ) {
    super(failure)
  }
}

abstract class PassingError extends GreenroomError {
  constructor(
    failure: Failure,
    /** The wait that the server asks for (Retry-After), if any. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(failure)
  }
}

/** 429: too many requests. */
export class RateLimitError extends PassingError {}

/** 5xx: the server, or what it depends on, failed. */
export class ServerError extends PassingError {}

/** There was no answer, or only a part of one. `cause` is the error of `fetch`. */
export class ConnectionError extends GreenroomError {}

/** There was no complete answer within `timeoutMs`. */
export class TimeoutError extends GreenroomError {}

/** The server's pages do not advance: going on would repeat rows forever, or skip some. */
export class PagingError extends GreenroomError {}

const KINDS = {
  ...{ GreenroomError, NotModifiedError, BadRequestError, AuthenticationError, PermissionError },
  ...{ OrganizationInactiveError, NotFoundError, ConflictError, PreconditionFailedError, ValidationError },
  ...{ RateLimitError, ServerError, ConnectionError, TimeoutError, PagingError },
}
// The names stand on the prototypes, so that a stack has them, and are texts, which no minifier changes.
for (const [name, Kind] of Object.entries(KINDS)) Object.defineProperty(Kind.prototype, 'name', { value: name })
