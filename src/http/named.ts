import Joi, { type ObjectSchema, type Schema, type SchemaMap } from 'joi'
import type { Schemas } from '../interface/generated/types.js'

/** The type of a named schema. It is generated: a new name is known after the next `npm run generate`. */
type TypeOf<Name> = Name extends keyof Schemas ? Schemas[Name] : unknown

export interface Naming {
  name: string
  /** Returns the schema as it was named. It may later have got a description, a default or null for one place. */
  schema: () => Schema
}

/**
 * Names a schema: the document, the types and the clients use this name. It is not Joi's label, which validation messages
 * would show instead of the key. A schema derived from a named one takes its own name.
 */
export function named<const Name extends string>(name: Name, schema: ObjectSchema): ObjectSchema<TypeOf<Name>>
export function named<S extends Schema>(name: string, schema: S): S
export function named(name: string, schema: Schema): Schema {
  return schema.meta({ name, schema: () => schema } satisfies Naming)
}

/** Makes a named schema of an object with these keys. */
export const namedObject = <const Name extends string>(name: Name, keys: SchemaMap): ObjectSchema<TypeOf<Name>> =>
  named(name, Joi.object(keys))

/** Returns the last naming of a schema. */
export const namingOf = (schema: Schema): Naming | undefined => schema.$_terms.metas.at(-1)
