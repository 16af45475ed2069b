import { isDeepStrictEqual } from 'node:util'
import Joi, { type Schema } from 'joi'
import { type Naming, namingOf } from './named.js'

export type Json = Record<string, unknown>

/** The named schemas of a document, by name. */
export type Components = Record<string, Json>

interface Options {
  target: 'draft-2020-12'
  components?: Components
}

interface Convertible {
  $_jsonSchema(this: Schema, mode: 'input', options?: Options): Json
}

const { $_jsonSchema: convert } = Joi.any() as unknown as Convertible

function convertNamed(this: Schema, mode: 'input', options?: Options): Json {
  const naming = options?.components && namingOf(this)
  return naming === undefined ? convert.call(this, mode, options) : refer(this, naming, options as Required<Options>)
}

// Joi calls this method of the schemas inside of a schema, and passes on the options. Each type has a prototype of its own.
for (const type of Object.values(Joi.types())) (Object.getPrototypeOf(type) as Convertible).$_jsonSchema = convertNamed

/**
 * Converts a schema to the JSON Schema of what it accepts. Each named schema becomes a reference, and is added to
 * `components`.
 */
export function toJsonSchema(schema: Schema, components: Components): Json {
  const options = { target: 'draft-2020-12', components } as const
  return withNullInEnums(convertNamed.call(schema, 'input', options)) as Json
}

/** Refers to a named schema, with what one place adds to it. */
function refer(place: Schema, { name, schema }: Naming, options: Required<Options>): Json {
  const { components } = options
  const shapeOf = (given: Schema): Json => {
    const bare = given.clone()
    bare.$_terms.metas = []
    return convert.call(bare, 'input', options)
  }
  const whole = withNullInEnums(shapeOf(schema())) as Json
  components[name] ??= whole
  if (!isDeepStrictEqual(components[name], whole)) throw new Error(`Two schemas have the name ${name}.`)

  const shape = shapeOf(place)
  const isNullable = !isSameShape(shape, shapeOf(schema()))
  if (isNullable && !isSameShape(shape, shapeOf(schema().allow(null))))
    throw new Error(`A schema was derived from ${name} without a name of its own.`)
  const reference = { $ref: `#/components/schemas/${name}` }
  return {
    ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
    ...(shape.description === whole.description ? {} : { description: shape.description }),
    ...(shape.default === whole.default ? {} : { default: shape.default }),
  }
}

function isSameShape(first: Json, second: Json): boolean {
  const { description: _1, default: _2, ...shape } = first
  const { description: _3, default: _4, ...other } = second
  return isDeepStrictEqual(shape, other)
}

/** Joi leaves null out of the values of a schema that allows it. */
function withNullInEnums(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(withNullInEnums)
  const schema = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withNullInEnums(member)]))
  const { type, enum: values } = schema
  const lacksNull = Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null)
  return lacksNull ? { ...schema, enum: [...values, null] } : schema
}
