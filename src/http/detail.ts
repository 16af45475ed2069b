import type { ValidationErrorItem } from 'joi'
import { ApiError } from '../errors.js'

/** Makes an error about one value as Joi would: `says` follows the name of the value. */
export function toDetail(
  path: readonly string[],
  type: string,
  says: string,
  context: Record<string, unknown> = {},
): ValidationErrorItem {
  const label = path.join('.')
  return { message: `"${label}" ${says}`, path: [...path], type, context: { ...context, label, key: path.at(-1) } }
}

/** Returns the 422 for one value. */
export const invalid = (key: string, type: string, says: string, cause?: unknown): ApiError =>
  new ApiError('validation_failed', { cause, details: [toDetail([key], type, says)] })

/** Returns the 422 for a cursor in the parameter `after`. */
export const cursorError = (says: string, cause?: unknown): ApiError => invalid('after', 'cursor.invalid', says, cause)
