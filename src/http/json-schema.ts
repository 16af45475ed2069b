import { isDeepStrictEqual } from 'node:util'
import Joi, { type Schema } from 'joi'
import { type Naming, namingOf } from './named.js'

export type Json = Record<string, unknown>

interface Options {
  target: 'draft-2020-12'
  components?: Components
}

interface Convertible {
  $_jsonSchema(mode: 'input' | 'output', options?: Options): Json
}

const { $_jsonSchema: convert } = Joi.any() as unknown as Convertible

// Joi calls this method on nested schemas and passes the options on. Each type has its own prototype.
for (const type of Object.values(Joi.types())) {
  const prototype = Object.getPrototypeOf(type) as Convertible
  prototype.$_jsonSchema = function (this: Schema & Convertible, mode, options) {
    const naming = options?.components && namingOf(this)
    return naming ? options.components!.refer(this, naming) : convert.call(this, mode, options)
  }
}

/** Converts schemas to JSON Schema. Named schemas become references, and are collected. */
export class Components {
  /** The named schemas found so far, by name. */
  readonly schemas: Record<string, Json> = {}
  readonly #shapes = new Map<Schema, Json>()

  readonly #options: Options = { target: 'draft-2020-12', components: this }

  /** Returns the JSON Schema of what a schema accepts or, with `output`, of its result after defaults are filled in. */
  convert(schema: Schema, mode: 'input' | 'output' = 'input'): Json {
    return complete((schema as unknown as Convertible).$_jsonSchema(mode, this.#options)) as Json
  }

  /** Refers to a named schema, with whatever one place has added to it. */
  refer(place: Schema, { name, schema }: Naming): Json {
    const asNamed = schema()
    const whole = this.shapeOf(asNamed)
    this.schemas[name] ??= whole
    if (!isDeepStrictEqual(this.schemas[name], whole)) throw new Error(`Two schemas have the name ${name}.`)

    const shape = this.shapeOf(place)
    const isNullable = !isSameShape(shape, whole)
    if (isNullable && !isSameShape(shape, this.shapeOf(asNamed.allow(null))))
      throw new Error(`A schema was derived from ${name} without its own name.`)
    const reference = { $ref: `#/components/schemas/${name}` }
    return {
      ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...(shape.description === whole.description ? {} : { description: shape.description }),
      ...(shape.default === whole.default ? {} : { default: shape.default }),
    }
  }

  /** Converts a schema as if it had no name. */
  shapeOf(schema: Schema): Json {
    const shape = this.#shapes.get(schema) ?? (complete(convert.call(schema, 'input', this.#options)) as Json)
    this.#shapes.set(schema, shape)
    return shape
  }
}

function isSameShape(first: Json, second: Json): boolean {
  const { description: _1, default: _2, ...shape } = first
  const { description: _3, default: _4, ...other } = second
  return isDeepStrictEqual(shape, other)
}

/**
 * Corrects a conversion: Joi omits null from the values of a schema that allows it, and describes an object without keys
 * only as an object, which client generators read as always empty.
 */
function complete(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(complete)
  const schema = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, complete(member)]))
  const { type, enum: values } = schema
  const lacksNull = Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null)
  const isAnyObject = [type].flat().includes('object') && !MEMBERS.some((keyword) => keyword in schema)
  return {
    ...schema,
    ...(lacksNull && { enum: [...values, null] }),
    ...(isAnyObject && { additionalProperties: true }),
  }
}

/** The keywords that describe the members of an object. */
const MEMBERS = ['properties', 'patternProperties', 'additionalProperties', 'anyOf', 'oneOf']
