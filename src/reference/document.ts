/** The parts of openapi.json that the page shows. */
export interface ApiDocument {
  info: { version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Described>>
  'x-errors': Record<string, { summary: string; value: unknown }>
  components: {
    schemas: Record<string, JsonSchema>
    /** A scheme has the name of its header where it is no Bearer. */
    securitySchemes: Record<string, { name?: string; description: string }>
    examples: Record<string, { summary: string; value: unknown }>
  }
}

interface Described {
  operationId: string
  summary: string
  description: string
  'x-permission': string | string[]
  'x-codeSamples'?: { source: string }[]
  tags: string[]
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Response>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

interface Content {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { $ref?: string; value?: unknown }>
}

interface Response {
  description: string
  headers?: Record<string, { description: string }>
  content?: Record<string, Content>
}

export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  required?: string[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  [keyword: string]: unknown
}

/** An operation with its place. */
export interface Operation extends Described {
  method: string
  path: string
  tag: string
}

export interface ApiError {
  status: string
  code: string
  body: unknown
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      tag: described.tags[0]!,
    })),
  )
}

/** The address of a call below the service's own, with these values of its parameters. */
export function pathOf({ path, parameters }: Operation, values: Record<string, string>): string {
  const given = (where: Parameter['in']): [string, string][] =>
    parameters.filter(({ in: place, name }) => place === where && values[name]).map(({ name }) => [name, values[name]!])
  const filled = given('path').reduce(
    (url, [name, value]) => url.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  )
  const query = new URLSearchParams(given('query'))
  return query.size === 0 ? filled : `${filled}?${query}`
}

/** The type and content of the body of a call: the one that has an example, where one has. */
export function bodyOf({ requestBody }: Operation): [type: string, content: Content] | [] {
  const bodies = Object.entries(requestBody?.content ?? {})
  return bodies.find(([, { example }]) => example !== undefined) ?? bodies[0] ?? []
}

/** The status and content of a success. */
export function successOf({
  responses,
}: Operation): { status: string; type: string; content: Content } & Omit<Response, 'content'> {
  const [status, response] = Object.entries(responses).find(([code]) => code < '3')!
  const [type, content] = Object.entries(response.content!)[0]!
  return { ...response, status, type, content }
}

/** The refusals of an operation that its examples show. */
export function errorsOf({ responses }: Operation, document: ApiDocument): ApiError[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content?.['application/json']?.examples ?? {}).map(([code, { value }]) => ({
      status,
      code,
      body: value ?? document.components.examples[code]!.value,
    })),
  )
}

/** Every error there is, by status. */
export const allErrors = (document: ApiDocument): ApiError[] =>
  Object.entries(document['x-errors'])
    .map(([code, { summary, value }]) => ({ status: summary.slice(0, 3), code, body: value }))
    .toSorted((a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code))

export const resolve = (schema: JsonSchema, document: ApiDocument): JsonSchema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!

/** The type of a value in a few words, such as `string`, `array of VipUser` or `"VIP" | "STANDARD"`. */
export function typeName(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeName))].join(' | ')
  if (schema.type === 'array' && schema.items !== undefined) return `array of ${typeName(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' | ')
}
