import type { HashtagConflict, ValidationDetail } from '../interface/generated/types.js'

/** The details of a failed call. */
export interface Failure {
  /** Says what happened and what to do about it. */
  message: string
  /** The operation called, for example `listVipUsers`. */
  operation: string
  /** The status of the response. Undefined if there was none. */
  status?: number | undefined
  /** The `x-error-code` header, for example `post_not_found`. Undefined if the server sent none. */
  code?: string | undefined
  /** The `x-request-id` header, to quote to the operator of the server. */
  requestId?: string | undefined
  cause?: unknown
}

/** A failed call, except one that the caller aborted. Its subclasses distinguish the kinds of failure. */
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

/** 304, for a call with an `If-None-Match` header: nothing has changed since the caller read it. */
export class NotModifiedError extends GreenroomError {}

/** 400: a rule is broken, for example by an unknown channel or a time in the past. */
export class BadRequestError extends GreenroomError {}

/** 401 or 403: the key, its secret or the operator's token is not accepted, or does not allow this. */
export class AuthenticationError extends GreenroomError {}

/** 403 with accepted credentials: they do not allow this, or not from this address. */
export class PermissionError extends AuthenticationError {}

/** 402: the organization of the key is inactive. */
export class OrganizationInactiveError extends GreenroomError {}

/** 404: it does not exist, or belongs to another organization. */
export class NotFoundError extends GreenroomError {}

/** 409: the call conflicts with something that exists. */
export class ConflictError extends GreenroomError {
  constructor(
    failure: Failure,
    /** Hashtags in use on a channel (interface 2.5). Empty for other conflicts. */
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
    /** All validation errors (interface 7). */
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

/** 5xx: the server, or a system that it depends on, failed. */
export class ServerError extends PassingError {}

/** There was no response, or only part of one. `cause` is the error of `fetch`. */
export class ConnectionError extends GreenroomError {}

/** There was no complete answer within `timeoutMs`. */
export class TimeoutError extends GreenroomError {}

/** The server's pages do not advance. Continuing would repeat rows forever, or skip some. */
export class PagingError extends GreenroomError {}

const KINDS = {
  ...{ GreenroomError, NotModifiedError, BadRequestError, AuthenticationError, PermissionError },
  ...{ OrganizationInactiveError, NotFoundError, ConflictError, PreconditionFailedError, ValidationError },
  ...{ RateLimitError, ServerError, ConnectionError, TimeoutError, PagingError },
}
// The names are on the prototypes, so that stacks show them. They are strings, which minifiers do not change.
for (const [name, Kind] of Object.entries(KINDS)) Object.defineProperty(Kind.prototype, 'name', { value: name })
