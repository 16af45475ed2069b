import Joi, { type ObjectSchema, type Schema, type StrictSchemaMap } from 'joi'

export interface Naming {
  name: string
  /** Gives the schema as it was named. Later it may have got a description, a default or null, for one place. */
  schema: () => Schema
}

/**
 * Names a schema: the document, the types of the wire and the clients know it by this name. It is not Joi's label, which
 * the messages of validation would show in place of the key. A schema that is derived from a named one takes its own name.
 */
export const named = <S extends Schema>(name: string, schema: S): S =>
  schema.meta({ name, schema: () => schema } satisfies Naming) as S

/** Makes a named schema of an object with these keys. */
export const namedObject = <T>(name: string, keys: StrictSchemaMap<T>): ObjectSchema<T> =>
  named(name, Joi.object<T, true>(keys))

/** Gives the last naming of a schema. */
export const namingOf = (schema: Schema): Naming | undefined => schema.$_terms.metas.at(-1)
