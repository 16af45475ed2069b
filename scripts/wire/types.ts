import type { Schema } from 'joi'
import { Components, type Json } from '../../src/http/json-schema.js'
import { ERROR_PARTS } from '../../src/http/openapi-errors.js'
import type { Operation } from '../../src/http/operation.js'
import { EVENTS } from '../../src/news/events.js'

type Sent = Readonly<Record<string, { body: Schema }>>

/** Writes the types of the wire: those of the named schemas, and the request and answer of each operation. */
export function typesOfWire(operations: readonly Operation[], sent = EVENTS as Sent, parts = ERROR_PARTS): string {
  const components = new Components()
  const calls = operations.map((operation) => toCall(operation, components))
  const events = Object.entries(sent).map(
    ([type, { body }]) => `  '${type}': ${toType(components.convert(body), '  ')}\n`,
  )
  for (const part of parts) components.convert(part)
  const queries = operations.flatMap(({ operationId, query }) =>
    query === undefined ? [] : [{ operationId, name: nameOfQuery(operationId), query }],
  )
  const named = Object.entries(components.schemas).sort(([first], [second]) => (first < second ? -1 : 1))
  return [
    'type Bytes = AsyncIterable<Uint8Array>\n',
    ...named.map(([name, schema]) => declare(name, schema)),
    ...queries.map(({ name, query }) => declare(name, components.convert(query))),
    interfaceOf(
      'The named schemas.',
      'Schemas',
      named.map(([name]) => `  ${name}: ${name}\n`),
    ),
    interfaceOf(
      'The query, the JSON body and the body of a success of each operation, by operationId.',
      'Operations',
      calls,
    ),
    interfaceOf('The body of each event that is sent, by type.', 'Events', events),
    interfaceOf(
      'The query of each operation with its defaults, by operationId.',
      'Queries',
      queries.map(
        ({ operationId, query }) => `  ${operationId}: ${toType(components.convert(query, 'output'), '  ')}\n`,
      ),
    ),
  ].join('\n')
}

const nameOfQuery = (operationId: string): string => `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Query`

const interfaceOf = (comment: string, name: string, lines: string[]): string =>
  `/** ${comment} */\nexport interface ${name} {\n${lines.join('')}}\n`

function declare(name: string, schema: Json): string {
  const type = toType(schema, '')
  const isObject = schema.type === 'object' && type.startsWith('{')
  return `${toComment(schema.description, '')}export ${isObject ? `interface ${name}` : `type ${name} =`} ${type}\n`
}

function toCall(operation: Operation, components: Components): string {
  const { operationId, summary, query, body, bodyIsOptional = false, success, successType } = operation
  const toField = (name: string, type: string, isOptional = false) => `    ${name}${isOptional ? '?' : ''}: ${type}\n`
  const typeOf = (schema: Schema) => toType(components.convert(schema), '    ')
  return [
    `${toComment(summary, '  ')}  ${operationId}: {\n`,
    ...(query ? [toField('query', nameOfQuery(operationId), components.convert(query).required === undefined)] : []),
    ...(body ? [toField('body', typeOf(body), bodyIsOptional)] : []),
    toField('answer', successType === undefined ? typeOf(success) : 'Bytes'),
    '  }\n',
  ].join('')
}

/** Returns the type for a JSON Schema. */
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
  const others = patternProperties?.['.*'] ?? (additionalProperties || undefined)
  if (properties === undefined) return `Record<string, ${toType(others ?? {}, indent)}>`
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required?.includes(name) ? '' : '?'
    return `${toComment(field.description, inner)}${inner}${name}${mark}: ${toType(field, inner)}\n`
  })
  if (others !== undefined) fields.push(`${inner}[name: string]: ${toType(others, inner)}\n`)
  return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('')}${indent}}`
}

const toComment = (text: unknown, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${(text as string).replaceAll('*/', '*\\/')} */\n`
