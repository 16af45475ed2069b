import { Components, type Json } from '../src/http/json-schema.js'
import type { Operation } from '../src/http/operation.js'

const HEAD = `// Made of the schemas of the operations by scripts/generate.ts.

type Bytes = AsyncIterable<Uint8Array>
`

/** Writes the types of the wire: those of the named schemas, and what each operation takes and answers. */
export function writeTypes(operations: readonly Operation[]): string {
  const components = new Components()
  const print = (schema: Operation['success']) => toType(components.convert(schema), '    ')
  const calls = operations.map(
    ({ operationId, summary, query, body, bodyIsOptional, success, successOn, successType }) => {
      const takesNone = query && !components.convert(query).required
      const parts = [
        query && `query${takesNone ? '?' : ''}: ${print(query)}`,
        body && `body${bodyIsOptional ? '?' : ''}: ${print(body)}`,
        `answer: ${successType === undefined ? print(success) : 'Bytes'}`,
        ...Object.entries(successOn ?? {}).map(([surface, schema]) => `answerOn${surface}: ${print(schema)}`),
      ]
      return `${toComment(summary, '  ')}  ${operationId}: {\n${parts.map((part) => part && `    ${part}\n`).join('')}  }\n`
    },
  )
  const queries = operations.map(({ operationId, query }) =>
    query ? `  ${operationId}: ${toType(components.convert(query, 'output'), '  ')}\n` : '',
  )
  const named = Object.entries(components.schemas).sort(([first], [second]) => (first < second ? -1 : 1))
  return [
    HEAD,
    ...named.map(([name, schema]) => {
      const type = toType(schema, '')
      const start = type.startsWith('{') && type.endsWith('}') ? `interface ${name} ` : `type ${name} = `
      return `${toComment(schema.description, '')}export ${start}${type}\n`
    }),
    `/** The types of the named schemas. */\nexport interface Schemas {\n${named.map(([name]) => `  ${name}: ${name}\n`).join('')}}\n`,
    `/** By operationId: query and JSON body where there are any, and the body of a success. */\nexport interface Operations {\n${calls.join('')}}\n`,
    `/** By operationId: the query with its defaults. */\nexport interface Queries {\n${queries.join('')}}\n`,
  ].join('\n')
}

/** Gives the type of a JSON Schema. */
function toType(schema: Json, indent: string): string {
  const {
    $ref,
    anyOf,
    oneOf,
    enum: values,
    type,
  } = schema as Record<string, string> & { anyOf?: Json[] } & {
    oneOf?: Json[]
    enum?: unknown[]
  }
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  const choices = anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((each) => ({ ...schema, type: each })) : undefined)
  if (choices !== undefined) return [...new Set(choices.map((choice) => toType(choice, indent)))].join(' | ')
  switch (type) {
    case 'array':
      return toArray(schema.items as Json | undefined, indent)
    case 'object':
      return toObject(schema, indent)
    case 'integer':
      return 'number'
    default:
      return type ?? 'unknown'
  }
}

function toArray(items: Json | undefined, indent: string): string {
  const item = items === undefined ? 'unknown' : toType(items, indent)
  return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

function toObject(
  { properties, required = [], patternProperties, additionalProperties }: Json,
  indent: string,
): string {
  if (properties === undefined) {
    const value = (patternProperties as Json | undefined)?.['.*'] ?? additionalProperties
    return `Record<string, ${typeof value === 'object' ? toType(value as Json, indent) : 'unknown'}>`
  }
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = (required as string[]).includes(name)
    return `${toComment(field.description, inner)}${inner}${toKey(name)}${isRequired ? '' : '?'}: ${toType(field, inner)}\n`
  })
  return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('')}${indent}}`
}

const toKey = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name))

const toComment = (text: unknown, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${(text as string).replaceAll('*/', '*\\/')} */\n`
