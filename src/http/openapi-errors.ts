import Joi from 'joi'
import { ApiError, type ApiErrorOptions, ERRORS, type ErrorCode } from '../errors.js'
import { toErrorBody } from './error-handler.js'
import type { Components, Json } from './json-schema.js'
import { namedObject } from './named.js'
import { unknownKey } from './unknown-keys.js'

const message = Joi.string().required()

/** interface 2.5 */
const CONFLICT = namedObject('HashtagConflict', {
  mediumId: Joi.string().required(),
  hashtag: Joi.string().required(),
  reason: Joi.string().valid('already-in-use').required(),
  scheduledPostId: Joi.string().description('The post that has it; only on /api.'),
})
const DETAIL = namedObject('ValidationDetail', {
  message,
  path: Joi.array().items(Joi.string()).required(),
  type: Joi.string().required(),
  context: Joi.object().unknown().required(),
})
/** Their types are generated with those of the operations. */
export const ERROR_PARTS = [CONFLICT, DETAIL]

/** The three bodies of errors (interface 7). */
const MESSAGE_ERROR = namedObject('MessageError', { message })
const CONFLICT_ERROR = namedObject('ConflictError', { message, conflicts: Joi.array().items(CONFLICT) })
const VALIDATION_ERROR = namedObject('ValidationError', { error: Joi.array().items(DETAIL).required() })

interface ErrorAnswer {
  name: string
  description: string
  /** Undefined for a response without a body. */
  body?: Joi.ObjectSchema
}

const answer = (name: string, description: string, body = MESSAGE_ERROR as Joi.ObjectSchema): ErrorAnswer => ({
  ...{ name, description, body },
})

/** The meaning of each status other than success, and its body. */
const ANSWERS: Record<number | 'default', ErrorAnswer> = {
  304: {
    name: 'NotModified',
    description: 'Nothing has changed since the version in If-None-Match; there is no body.',
  },
  400: answer('BadRequest', 'The request breaks a rule, or its version header is missing or unsupported.'),
  401: answer('Unauthorized', 'The token, session or password is missing, wrong or expired.'),
  402: answer('PaymentRequired', 'The organization is inactive.'),
  403: answer('Forbidden', 'The authentication failed, or the caller may not do this. The message names the reason.'),
  404: answer('NotFound', 'It does not exist, or it is not yours.'),
  408: answer('RequestTimeout', 'The body did not arrive in time.'),
  409: answer('Conflict', 'The request conflicts with the current state.', CONFLICT_ERROR),
  412: answer('PreconditionFailed', 'It has changed since you read it (If-Match).'),
  422: answer('UnprocessableEntity', 'The request has the wrong shape.', VALIDATION_ERROR),
  428: answer('PreconditionRequired', 'Send If-Match with the ETag that you read.'),
  default: answer(
    'OtherError',
    'Any other error: 413, 415, 417, 429, 500, 502, 503 or 504. Retry-After of a 429 or 503 says when to call again.',
  ),
}

/** Errors that any operation may return. */
const OF_ALL: ErrorCode[] = [
  ...(['body_malformed', 'validation_failed', 'body_too_large', 'media_type_unsupported', 'rate_limited'] as const),
  ...(['internal', 'database_unavailable', 'busy', 'stopping'] as const),
]

export type Status = keyof typeof ANSWERS

export const referTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

/** Options for errors whose bodies have more than a string. */
const EXAMPLE_OPTIONS: Partial<Record<ErrorCode, ApiErrorOptions>> = {
  validation_failed: { details: [unknownKey(['colour'])] },
  hashtag_conflict: {
    conflicts: [{ mediumId: 'FB_PAGE_102938475610293', hashtag: '#lanterns', reason: 'already-in-use' }],
  },
}

/** Returns an error as it is sent. */
const exampleOf = (code: ErrorCode): Json => ({
  summary: `${ERRORS[code][0]} ${code}`,
  value: toErrorBody(new ApiError(code, EXAMPLE_OPTIONS[code])),
})

/** The error answers that a document refers to. */
export class ErrorParts {
  readonly #statuses = new Set<Status>()
  readonly #codes = new Set<ErrorCode>(OF_ALL)

  constructor(readonly schemas: Components) {}

  /** Refers to the response with this status. */
  refer(status: Status): Json {
    if (ANSWERS[status] === undefined) throw new Error(`status ${status} has no description in openapi-errors.ts`)
    this.#statuses.add(status)
    return referTo('responses', ANSWERS[status].name)
  }

  /** Returns these codes in catalogue order, without the general ones. The document has an example of each. */
  list(codes: readonly ErrorCode[]): ErrorCode[] {
    for (const code of codes) this.#codes.add(code)
    return CODES.filter((code) => codes.includes(code) && !OF_ALL.includes(code))
  }

  /** Returns the responses, with examples of all codes in the document; `headersOf` returns the headers of one. */
  responses(headersOf: (names: string[]) => Json): Json {
    return Object.fromEntries(
      [...this.#statuses].map((status) => {
        const { name, description, body } = ANSWERS[status]!
        if (body === undefined) return [name, { description, headers: headersOf(['ETag']) }]
        const codes = this.#shown().filter((code) => answeredAs(code) === status)
        const examples = Object.fromEntries(codes.map((code) => [code, referTo('examples', code)]))
        const waits = status === 'default' ? ['Retry-After', 'RateLimit', 'RateLimit-Policy'] : []
        const content = { schema: this.schemas.convert(body), ...(codes.length === 0 ? {} : { examples }) }
        const headers = headersOf(['x-error-code', ...waits])
        return [name, { description, headers, content: { 'application/json': content } }]
      }),
    )
  }

  examples(): Json {
    return Object.fromEntries(this.#shown().map((code) => [code, exampleOf(code)]))
  }

  #shown(): ErrorCode[] {
    return CODES.filter((code) => this.#codes.has(code))
  }
}

const CODES = Object.keys(ERRORS) as ErrorCode[]

/** Returns the status under which the document lists an error. */
export const answeredAs = (code: ErrorCode): Status => {
  const [status] = ERRORS[code]
  return ANSWERS[status] === undefined ? 'default' : status
}
