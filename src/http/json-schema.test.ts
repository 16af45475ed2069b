import Joi from 'joi'
import { expect, test } from 'vitest'
import { Components } from './json-schema.js'
import { named, namedObject } from './named.js'

const color = named('Color', Joi.string().valid('red', 'blue'))
const box = named(
  'Box',
  Joi.object({ color: color.required(), lid: color.allow(null) }).description('It holds things.'),
)

test('each named schema is a component, and a reference wherever it is used', () => {
  const components = new Components()
  expect(components.convert(Joi.array().items(box))).toEqual({
    type: 'array',
    items: { $ref: '#/components/schemas/Box' },
  })
  expect(components.schemas).toEqual({
    Color: { type: 'string', enum: ['red', 'blue'] },
    Box: {
      type: 'object',
      description: 'It holds things.',
      properties: {
        color: { $ref: '#/components/schemas/Color' },
        lid: { anyOf: [{ $ref: '#/components/schemas/Color' }, { type: 'null' }] },
      },
      required: ['color'],
      additionalProperties: false,
    },
  })
})

test('a use keeps the description, the default and the null that it adds to a named schema', () => {
  const components = new Components()
  expect(components.convert(box.allow(null).description('Empty.'))).toEqual({
    anyOf: [{ $ref: '#/components/schemas/Box' }, { type: 'null' }],
    description: 'Empty.',
  })
  expect(components.convert(color.default('red'))).toEqual({ $ref: '#/components/schemas/Color', default: 'red' })
  expect(components.schemas.Color).not.toHaveProperty('default')
})

test('a name has one shape: another schema with the name is refused, and so is a derived one without a name', () => {
  const components = new Components()
  components.convert(box)
  expect(() => components.convert(namedObject('Box', { size: Joi.number() }))).toThrow('Two schemas have the name Box.')
  const derived = box.keys({ size: Joi.number() })
  expect(() => components.convert(derived)).toThrow('A schema was derived from Box without its own name.')
  expect(components.convert(named('SizedBox', derived))).toEqual({ $ref: '#/components/schemas/SizedBox' })
})

test('a schema without names is converted as Joi does it', () => {
  const schema = Joi.object({ at: Joi.string().isoDate(), many: Joi.number().integer().min(1).allow(null) })
  expect(new Components().convert(schema)).toEqual(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }))
})

test('an object with unnamed keys may have any, so that generated types let a caller read them', () => {
  const components = new Components()
  expect(components.convert(Joi.object())).toEqual({ type: 'object', additionalProperties: true })
  expect(components.convert(Joi.object().allow(null))).toMatchObject({ additionalProperties: true })
  expect(components.convert(Joi.object({}))).toEqual({ type: 'object', properties: {}, additionalProperties: false })
})

test('the values of a nullable enumeration include null', () => {
  expect(new Components().convert(Joi.string().valid('a', null))).toEqual({
    type: ['string', 'null'],
    enum: ['a', null],
  })
})
