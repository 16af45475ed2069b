import { Components, type Json } from '../../src/http/json-schema.js'
import type { Operation } from '../../src/http/operation.js'
import { operations } from '../../src/operations.js'

/** Writes the types of the wire: those of the named schemas, and what each operation takes and answers. */
export function typesOfWire(): string {
  const components = new Components()
  const calls = operations.map((operation) => toCall(operation, components))
  const queries = operations.flatMap(({ operationId, query }) =>
    query === undefined ? [] : `  ${operationId}: ${toType(components.convert(query, 'output'), '  ')}\n`,
  )
  const named = Object.entries(components.schemas).sort(([first], [second]) => (first < second ? -1 : 1))
  const types = named.map(([name, schema]) => {
    const type = toType(schema, '')
    const isObject = schema.type === 'object' && type.startsWith('{')
    return `${toComment(schema.description, '')}export ${isObject ? `interface ${name}` : `type ${name} =`} ${type}\n`
  })
  return [
    'type Bytes = AsyncIterable<Uint8Array>\n',
    ...types,
    `/** The named schemas. */\nexport interface Schemas {\n${named.map(([name]) => `  ${name}: ${name}\n`).join('')}}\n`,
    `/** By operationId: query and JSON body if there are any, and the body of a success. */\nexport interface Operations {\n${calls.join('')}}\n`,
    `/** By operationId: the query with its defaults, as the operation gets it. */\nexport interface Queries {\n${queries.join('')}}\n`,
  ].join('\n')
}

function toCall(operation: Operation, components: Components): string {
  const { operationId, summary, query, body, bodyIsOptional = false, success, successType } = operation
  const converted = query && components.convert(query)
  const toField = (name: string, schema: Json, isOptional = false) =>
    `    ${name}${isOptional ? '?' : ''}: ${toType(schema, '    ')}\n`
  return [
    `${toComment(summary, '  ')}  ${operationId}: {\n`,
    ...(converted ? [toField('query', converted, converted.required === undefined)] : []),
    ...(body ? [toField('body', components.convert(body), bodyIsOptional)] : []),
    successType === undefined ? toField('answer', components.convert(success)) : '    answer: Bytes\n',
    '  }\n',
  ].join('')
}

/** Gives the type of a JSON Schema. */
function toType(schema: Json, indent: string): string {
  const {
    $ref,
    anyOf,
    enum: values,
    type,
  } = schema as { $ref?: string; anyOf?: Json[]; enum?: unknown[]; type?: unknown }
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  const choices = anyOf ?? (Array.isArray(type) ? type.map((each) => ({ ...schema, type: each })) : undefined)
  if (choices !== undefined) return [...new Set(choices.map((choice) => toType(choice, indent)))].join(' | ')
  if (type === 'object') return toObject(schema, indent)
  if (type === 'integer') return 'number'
  if (type !== 'array') return typeof type === 'string' ? type : 'unknown'
  const item = toType((schema.items ?? {}) as Json, indent)
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}

function toObject(schema: Json, indent: string): string {
  const { properties, required, patternProperties, additionalProperties } = schema as {
    properties?: Record<string, Json>
    required?: string[]
    patternProperties?: Record<string, Json>
    additionalProperties?: Json | false
  }
  const others = patternProperties?.['.*'] ?? additionalProperties ?? {}
  if (properties === undefined) return `Record<string, ${toType(others || {}, indent)}>`
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required?.includes(name) ? '' : '?'
    return `${toComment(field.description, inner)}${inner}${name}${mark}: ${toType(field, inner)}\n`
  })
  if (others !== false) fields.push(`${inner}[name: string]: ${toType(others, inner)}\n`)
  return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('')}${indent}}`
}

const toComment = (text: unknown, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${(text as string).replaceAll('*/', '*\\/')} */\n`
