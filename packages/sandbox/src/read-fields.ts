/** A field of a JSON body: its type, its bounds, and its default. */
export type Field = { isOptional?: true; default?: unknown } & (
  | { type: 'integer'; min: number; max?: number }
  | { type: 'text'; values?: readonly string[] }
  | { type: 'boolean' }
  | { type: 'headers' }
  /** Objects with these fields. */
  | { type: 'object'; fields: Fields }
  | { type: 'list'; fields: Fields }
  /** A text or an object. */
  | { type: 'body' }
)
export type Fields = Readonly<Record<string, Field>>

// biome-ignore lint/suspicious/noExplicitAny: each value has been read by its field.
export type Values = Record<string, any>

/** An unsuccessful answer of the control interface. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message)
  }
}

const TEXT_MAX = 10_000

/** Reads the fields of an object. Throws a ControlError that names the field and its allowed values. */
export function readFields(value: unknown, fields: Fields, where = 'the body'): Values {
  if (!isObject(value)) throw new ControlError(400, `${where} must be a JSON object`)
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) {
    throw new ControlError(
      400,
      `${where} has the unknown field "${unknown}"; it may have: ${listed(Object.keys(fields))}`,
    )
  }
  const values: Values = {}
  for (const [name, field] of Object.entries(fields)) {
    const given = value[name] ?? field.default
    if (given !== undefined) values[name] = readField(given, field, `"${name}"`)
    else if (!field.isOptional)
      throw new ControlError(400, `${where} lacks "${name}", which must be ${typeText(field)}`)
  }
  return values
}

function readField(value: unknown, field: Field, where: string): unknown {
  if (field.type === 'object') return readFields(value, field.fields, where)
  if (field.type === 'list' && Array.isArray(value)) {
    return value.map((item, index) => readFields(item, field.fields, `${where}[${index}]`))
  }
  if (!isOfType(value, field)) throw new ControlError(400, `${where} must be ${typeText(field)}`)
  return value
}

function isOfType(value: unknown, field: Field): boolean {
  switch (field.type) {
    case 'integer':
      return Number.isSafeInteger(value) && Number(value) >= field.min && Number(value) <= (field.max ?? Infinity)
    case 'text':
      return isText(value) && (field.values === undefined || field.values.includes(value))
    case 'boolean':
      return typeof value === 'boolean'
    case 'headers':
      return isObject(value) && Object.entries(value).every(([name, text]) => isHeader(name, text))
    case 'body':
      return typeof value === 'string' || isObject(value)
    default:
      return false
  }
}

/** Describes the allowed values of a field, for errors and for the list of faults. */
export function typeText(field: Field): string {
  switch (field.type) {
    case 'integer':
      return field.max === undefined
        ? `an integer of at least ${field.min}`
        : `an integer from ${field.min} to ${field.max}`
    case 'text':
      return field.values === undefined ? `a text of 1 to ${TEXT_MAX} characters` : `one of ${listed(field.values)}`
    case 'boolean':
      return 'true or false'
    case 'headers':
      return 'an object of headers, each a text'
    case 'object':
      return `an object with ${listed(Object.keys(field.fields))}`
    case 'list':
      return `a list of objects with ${listed(Object.keys(field.fields))}`
    case 'body':
      return 'a text or an object'
  }
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '))
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= TEXT_MAX
const isHeader = (name: string, text: unknown): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isText(text) && /^[\t -~\u0080-\u00ff]*$/.test(text)
const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
