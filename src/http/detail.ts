import type { ValidationErrorItem } from 'joi'
import { ApiError } from '../errors.js'

/** Makes the error that Joi would make about one value. `problem` completes a sentence that begins with its name. */
export function toDetail(
  path: readonly string[],
  type: string,
  problem: string,
  context: Record<string, unknown> = {},
): ValidationErrorItem {
  const label = path.join('.')
  return { message: `"${label}" ${problem}`, path: [...path], type, context: { ...context, label, key: path.at(-1) } }
}

/** Returns the 422 for one value. */
export const invalid = (key: string, type: string, problem: string, cause?: unknown): ApiError =>
  new ApiError('validation_failed', { cause, details: [toDetail([key], type, problem)] })

/** Returns the 422 for a cursor in the parameter `after`. */
export const cursorError = (problem: string, cause?: unknown): ApiError =>
  invalid('after', 'cursor.invalid', problem, cause)
