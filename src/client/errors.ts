import type { HashtagConflict, ValidationDetail } from '../interface/errors.js'

/** What is known about a failed call. */
export interface Failure {
  /** What happened and what to do about it. */
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
  // On the prototype, so that the stack has it too.
  override get name(): string {
    return 'GreenroomError'
  }
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
export class NotModifiedError extends GreenroomError {
  override get name(): string {
    return 'NotModifiedError'
  }
}

/** 400: a rule is broken, such as an unknown channel or a time in the past. */
export class BadRequestError extends GreenroomError {
  override get name(): string {
    return 'BadRequestError'
  }
}

/** 401 or 403: the key, its secret or the operator's token is not accepted, or may not do this. */
export class AuthenticationError extends GreenroomError {
  override get name(): string {
    return 'AuthenticationError'
  }
}

/** 403 where the credentials are accepted: they may not do this, or not from this address. */
export class PermissionError extends AuthenticationError {
  override get name(): string {
    return 'PermissionError'
  }
}

/** 402: the organization of the key is inactive. */
export class OrganizationInactiveError extends GreenroomError {
  override get name(): string {
    return 'OrganizationInactiveError'
  }
}

/** 404: there is no such thing, or it is another organization's. */
export class NotFoundError extends GreenroomError {
  override get name(): string {
    return 'NotFoundError'
  }
}

/** 409: it conflicts with what exists. */
export class ConflictError extends GreenroomError {
  override get name(): string {
    return 'ConflictError'
  }
  /** Hashtags that are in use on a channel (interface 2.5); empty for a conflict of another kind. */
  readonly conflicts: HashtagConflict[]

  constructor(failure: Failure, conflicts: HashtagConflict[]) {
    super(failure)
    this.conflicts = conflicts
  }
}

/** 412: the post has changed since the version in `ifMatch`. */
export class PreconditionFailedError extends GreenroomError {
  override get name(): string {
    return 'PreconditionFailedError'
  }
}

/** 422: the request has the wrong shape. */
export class ValidationError extends GreenroomError {
  override get name(): string {
    return 'ValidationError'
  }
  /** Everything that is wrong with it (interface 7). */
  readonly details: ValidationDetail[]

  constructor(failure: Failure, details: ValidationDetail[]) {
    super(failure)
    this.details = details
  }
}

/** 429: too many requests. */
export class RateLimitError extends GreenroomError {
  override get name(): string {
    return 'RateLimitError'
  }
  /** The wait that the server asks for (Retry-After), if any. */
  readonly retryAfterMs: number | undefined

  constructor(failure: Failure, retryAfterMs: number | undefined) {
    super(failure)
    this.retryAfterMs = retryAfterMs
  }
}

/** 5xx: the server, or what it depends on, failed. */
export class ServerError extends GreenroomError {
  override get name(): string {
    return 'ServerError'
  }
  /** The wait that the server asks for (Retry-After), if any. */
  readonly retryAfterMs: number | undefined

  constructor(failure: Failure, retryAfterMs: number | undefined) {
    super(failure)
    this.retryAfterMs = retryAfterMs
  }
}

/** There was no answer, or only a part of one. `cause` is the error of `fetch`. */
export class ConnectionError extends GreenroomError {
  override get name(): string {
    return 'ConnectionError'
  }
}

/** There was no complete answer within `timeoutMs`. */
export class TimeoutError extends GreenroomError {
  override get name(): string {
    return 'TimeoutError'
  }
}

/** The server's pages do not advance: going on would repeat rows forever, or skip some. */
export class PagingError extends GreenroomError {
  override get name(): string {
    return 'PagingError'
  }
}
