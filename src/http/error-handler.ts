import { DatabaseBusyError, DatabaseUnavailableError } from '../database/database.js'
import { ApiError, DATABASE_RETRY_SECONDS, type ErrorCode } from '../errors.js'
import type { HashtagConflict } from '../interface/generated/types.js'
import type { Actor } from './principal.js'
import { toValidationErrorBody } from './validation.js'

/** Fastify's own refusals in our words. Any other error with a 4xx status is a malformed request. */
const FRAMEWORK_ERRORS: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body_malformed',
  FST_ERR_CTP_INVALID_JSON_BODY: 'body_malformed',
}

/** Converts any thrown value to the error of the response. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof DatabaseUnavailableError) {
    const code = error instanceof DatabaseBusyError ? 'busy' : 'database_unavailable'
    return new ApiError(code, { cause: error, retryAfterSeconds: DATABASE_RETRY_SECONDS })
  }
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number }
  const known = FRAMEWORK_ERRORS[code ?? '']
  if (known !== undefined) return new ApiError(known, { cause: error })
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return new ApiError('request_malformed', { cause: error })
  }
  return new ApiError('internal', { cause: error })
}

/** Returns one of the three bodies of interface 7. People also get a link to the post that has a hashtag. */
export function toErrorBody(error: ApiError, caller?: Actor): Record<string, unknown> {
  if (error.details !== undefined) return toValidationErrorBody(error.details)
  if (error.conflicts !== undefined) {
    const conflicts = caller?.type === 'user' ? error.conflicts : error.conflicts.map(toWireConflict)
    return { message: error.message, conflicts }
  }
  return { message: error.message }
}

/** interface 2.5 */
const toWireConflict = ({ mediumId, hashtag, reason }: HashtagConflict): HashtagConflict => ({
  mediumId,
  hashtag,
  reason,
})

export function toErrorHeaders(error: ApiError): Record<string, string> {
  return {
    ...error.headers,
    'cache-control': 'no-store',
    'x-error-code': error.code,
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(error.retryAfterSeconds)) }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
}
