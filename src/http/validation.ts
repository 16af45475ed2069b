import type { ObjectSchema, ValidationErrorItem } from 'joi'
import { ApiError } from '../errors.js'
import { type Clock, systemClock } from '../lib/clock.js'
import { toTomorrow } from '../lib/dates.js'
import { limit } from '../lib/limits.js'
import { cutInput } from './cut-input.js'
import { toDetail } from './detail.js'
import { findManyUnknown, unknownKey } from './unknown-keys.js'

const BODY_DEPTH_MAX = limit('bodyDepth')
const BODY_VALUES_MAX = limit('bodyValues')
const DETAILS_MAX = limit('errorDetails')
const UNKNOWN_KEYS_MAX = limit('unknownKeys')
const ECHO_CHARS_MAX = 500

export interface Part {
  schema: ObjectSchema | undefined
  value: unknown
  /** Query and path arrive as text and are converted; a JSON body already has types. */
  convert: boolean
}

/** Values that the messages of schemas show, such as `{$tomorrow}`. */
export interface Hints {
  /** A future instant. */
  readonly tomorrow: string
}

/** Joi reads these when it writes a message, which few requests need, so they are computed then. */
export const hintsOf = (clock: Clock): Hints => ({
  get tomorrow() {
    return toTomorrow(clock.now())
  },
})

/**
 * Validates the parts of a request, in order, and returns their values; throws one 422 with every error of every part
 * (interface 7). A part without a schema must be empty. Ten unknown keys in one part end the validation: that body does not
 * belong to this operation.
 */
export function validateParts(parts: Part[], hints: Hints = hintsOf(systemClock)): unknown[] {
  const details: ValidationErrorItem[] = []
  const values = parts.map(({ schema, value, convert }) => {
    const unknown = findUnknown(schema, value)
    if (unknown.length === UNKNOWN_KEYS_MAX) throw new ApiError('validation_failed', { details: unknown })
    const unstorable = findUnstorable(value)
    if (unstorable !== undefined) {
      details.push(unstorable)
      return undefined
    }
    if (schema === undefined) {
      details.push(...unknown)
      return value
    }
    const result = schema.validate(convert ? value : cutInput(schema, value), {
      abortEarly: false,
      convert,
      context: hints,
    })
    // Not spread: there may be more than the number of arguments a call can take.
    for (const detail of result.error?.details ?? []) details.push(detail)
    return result.value
  })
  if (details.length > 0) throw new ApiError('validation_failed', { details })
  return values
}

/** If the schema knows some keys, Joi reports unknown ones, unless there are enough to end the validation. */
function findUnknown(schema: ObjectSchema | undefined, value: unknown): ValidationErrorItem[] {
  if (value === undefined || value === null) return []
  if (schema !== undefined) {
    return findManyUnknown(schema, value, UNKNOWN_KEYS_MAX).map(unknownKey)
  }
  return Object.keys(value)
    .slice(0, UNKNOWN_KEYS_MAX)
    .map((key) => unknownKey([key]))
}

/** Returns Joi's errors as sent: paths as strings, and echoed input shortened. */
export function toValidationErrorBody(details: ValidationErrorItem[]): { error: unknown[] } {
  return {
    error: details.slice(0, DETAILS_MAX).map(({ message, path, type, context }) => ({
      message: shorten(message),
      path: path.map((step) => shorten(String(step))),
      type,
      context: Object.fromEntries(Object.entries(context ?? {}).map(([key, value]) => [key, toEcho(value)])),
    })),
  }
}

function toEcho(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value)
  if (value instanceof RegExp) return String(value)
  if (value !== null && typeof value === 'object' && JSON.stringify(value).length > ECHO_CHARS_MAX) return undefined
  return value
}

const shorten = (text: string): string => (text.length > ECHO_CHARS_MAX ? `${text.slice(0, ECHO_CHARS_MAX)}…` : text)

/**
 * Throws a 400 if a parsed body is nested deeper than any real one (later code may recurse), or has more values (each costs
 * far more to validate and store than to send).
 */
export function checkSize(body: unknown): void {
  let values = 0
  let level = [body]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > BODY_DEPTH_MAX) {
      throw new ApiError('body_malformed', { message: `The body is nested more than ${BODY_DEPTH_MAX} levels deep.` })
    }
    const below: unknown[] = []
    for (const value of level) {
      if (value === null || typeof value !== 'object') continue
      const members = Object.values(value)
      values += members.length
      if (values > BODY_VALUES_MAX) {
        throw new ApiError('body_malformed', {
          message: `The body has more than ${BODY_VALUES_MAX.toLocaleString('en')} values: send less at once.`,
        })
      }
      for (const member of members) below.push(member)
    }
    level = below
  }
}

/**
 * Finds the first value that would not be stored as it was sent: a string with U+0000 or half of a surrogate pair, or a
 * number beyond a double's exact range, which parsing rounded. One check for all input, before any operation runs, replaces
 * a rule in each schema.
 */
function findUnstorable(value: unknown, path: string[] = []): ValidationErrorItem | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorableText(path)
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? undefined : unsafeNumber(path)
  if (value === null || typeof value !== 'object') return undefined
  for (const [key, member] of Object.entries(value)) {
    // Joi loses this one key on its own copy of the object, and would let it pass.
    if (key === '__proto__') return unknownKey([...path, key])
    const found = isStorable(key) ? findUnstorable(member, [...path, key]) : unstorableText([...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

function unstorableText(path: string[]): ValidationErrorItem {
  const shown = path.map((step) => step.toWellFormed().replaceAll('\0', '\\u0000'))
  return toDetail(shown, 'string.unicode', 'must not contain U+0000 or half of a surrogate pair')
}

const unsafeNumber = (path: string[]): ValidationErrorItem =>
  toDetail(
    path,
    'number.unsafe',
    `must be a number of at most ${Number.MAX_SAFE_INTEGER}: send a larger one as a string`,
  )

/** Makes Joi's error for a string that is too long, without the text. */
export const tooLong = (key: string, max: number): ValidationErrorItem =>
  toDetail([key], 'string.max', `length must be less than or equal to ${max} characters long`, { limit: max })
