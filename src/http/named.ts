import Joi, { type ObjectSchema, type Schema, type StrictSchemaMap } from 'joi'

/**
 * Names a schema: the document, the types of the wire and the clients know it by this name. It is not Joi's label, which
 * the messages of validation would show in place of the key.
 */
export const named = <S extends Schema>(name: string, schema: S): S => schema.meta({ name }) as S

/** Makes a named schema of an object with these keys. */
export const namedObject = <T>(name: string, keys: StrictSchemaMap<T>): ObjectSchema<T> =>
  named(name, Joi.object<T, true>(keys))
