import Joi, { type StringSchema } from 'joi'
import { isVisibleName } from '../interface/names.js'
import { parseIsoInstant } from '../lib/dates.js'

// Fields of queries and bodies that operations of several rooms share.

/** The state of a deletion in batches. */
export const doneSchema = Joi.boolean().required().description('`false` if rows remain: repeat the call.')

/** Joi rejects Infinity, as which a string of 310 digits is parsed, so the greatest number replaces it. */
const anyNumber = (
  Joi.extend({
    type: 'number',
    base: Joi.number(),
    coerce: {
      from: 'number',
      method: (value: number) => ({ value: value === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : value }),
    },
  }) as typeof Joi
)
  .number()
  .unsafe()

/** The number of rows on a page. A value beyond a number's range is still a larger one, which the list clamps. */
export const limitSchema = anyNumber.integer().min(1)

/**
 * The number of rows to skip. A value beyond a number's exact range becomes the greatest exact one, which is past every end.
 */
export const offsetSchema = anyNumber
  .integer()
  .min(0)
  .custom((value: number) => Math.min(value, Number.MAX_SAFE_INTEGER))

/** The header that a list with a plain array as body uses if it continues. */
export const NEXT_CURSOR = 'x-next-cursor'

/** A string that is one of these values. */
export const oneOf = (values: readonly string[]): StringSchema => Joi.string().valid(...values)

/** A string whose error describes the expected format in words, so that callers need not read a pattern. */
export const textOfForm = (pattern: RegExp, form: string): StringSchema =>
  Joi.string().pattern(pattern, form).messages({ 'string.pattern.name': '{{#label}} must be {{#name}}' })

/** A time on a wall clock. */
export const timeOfDaySchema = textOfForm(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 09:30')

/** A name for people, with at least one visible character. */
export const nameSchema = Joi.string()
  .max(200)
  .custom((value: string, helpers) => (isVisibleName(value) ? value : helpers.error('name.invisible')))
  .messages({ 'name.invisible': '{{#label}} must have a visible character' })
  .description('A name for people.')

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** An existing currency, by its code. */
export const currencySchema = textOfForm(/^[A-Z]{3}$/, 'the three capital letters of ISO 4217, such as EUR')
  .custom((value: string, helpers) => (CURRENCIES.has(value) ? value : helpers.error('currency.unknown')))
  .messages({ 'currency.unknown': '{{#label}} must be an existing currency code of ISO 4217, such as EUR' })

/** Makes a schema whose errors do not repeat the secret. */
export const unrepeated = (schema: StringSchema): StringSchema =>
  schema.error((errors) => {
    for (const { local } of errors) delete local.value
    return errors
  })

/** A token of the ad platform. */
export const accessTokenSchema = unrepeated(Joi.string().max(4096)).description('The access token of the platform.')

/** Goes with a token: whether to check it with the platform first. */
export const checkTokenSchema = Joi.boolean().description(
  'Whether to check the access token with the platform before it is stored. `true` by default; `false` stores it unchecked.',
)

/**
 * An ISO 8601 datetime in UTC. Its error shows a future one (`hintsOf`), so that a caller who copies it is not refused
 * again.
 */
export const utcInstant = Joi.string()
  .custom((value: string, helpers) =>
    /(?:Z|\+00:00)$/.test(value) && parseIsoInstant(value) !== undefined ? value : helpers.error('string.isoDateUtc'),
  )
  .messages({ 'string.isoDateUtc': '{{#label}} must be an ISO 8601 datetime in UTC, such as {$tomorrow}' })
