/** The parts of openapi.json that the page shows. */
export interface ApiDocument {
  info: { version: string; description: string }
  tags: { name: string; description: string; 'x-errors': string[] }[]
  paths: Record<string, Record<string, Described>>
  components: {
    schemas: Record<string, JsonSchema>
    /** A scheme other than Bearer has the name of its header. */
    securitySchemes: Record<string, { name?: string; description: string }>
    parameters: Record<string, Parameter>
    headers: Record<string, { description: string }>
    responses: Record<string, Response>
    examples: Record<string, Example>
  }
}

interface Described {
  operationId: string
  summary: string
  description: string
  'x-permission': string | string[]
  'x-needs-confirmation'?: true
  'x-errors'?: string[]
  'x-codeSamples'?: { source: string }[]
  /** The operation's name in the client, if it differs. */
  'x-operation'?: string
  tags: string[]
  parameters: Referable<Parameter>[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Referable<Response>>
}

/** A value, or a reference to a component. */
type Referable<Thing> = Thing | { $ref: string }

interface Example {
  /** The status and code, if this is the body of an error. */
  summary?: string
  value: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

interface Content {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, Referable<Example>>
}

interface Response {
  description: string
  headers?: Record<string, Referable<{ description: string }>>
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

/** An operation with its path. References to parameters and examples are resolved. */
export interface Operation extends Omit<Described, 'parameters'> {
  method: string
  path: string
  tag: string
  parameters: Parameter[]
}

export interface ApiError {
  status: string
  code: string
  body: unknown
}

type Kind = Exclude<keyof ApiDocument['components'], 'schemas' | 'securitySchemes'>

function follow<Thing extends object>(given: Referable<Thing>, { components }: ApiDocument): Thing {
  if (!('$ref' in given)) return given
  const [, , kind, name] = given.$ref.split('/')
  return components[kind as Kind][name!] as Thing
}

export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      tag: described.tags[0]!,
      parameters: described.parameters.map((parameter) => follow(parameter, document)),
      ...(described.requestBody && {
        requestBody: { ...described.requestBody, content: showExamples(described.requestBody.content, document) },
      }),
    })),
  )
}

/** Replaces references to examples with the examples. */
const showExamples = (content: Record<string, Content>, document: ApiDocument): Record<string, Content> =>
  Object.fromEntries(
    Object.entries(content).map(([type, one]) => {
      const [shared] = Object.values(one.examples ?? {})
      return [type, shared === undefined ? one : { ...one, example: follow(shared, document).value }]
    }),
  )

/** Returns the path of a call below the service's root, with these parameter values. */
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

/** Returns the type and content of a call's body, preferably one with an example. */
export function bodyOf({ requestBody }: Operation): [type: string, content: Content] | [] {
  const bodies = Object.entries(requestBody?.content ?? {})
  return bodies.find(([, { example }]) => example !== undefined) ?? bodies[0] ?? []
}

/** Returns the status, headers and content of a success. */
export function successOf(
  { responses }: Operation,
  document: ApiDocument,
): { status: string; type: string; content: Content; description: string; headers: [name: string, purpose: string][] } {
  const [status, given] = Object.entries(responses).find(([code]) => code < '3')!
  const { description, headers = {}, content } = follow(given, document)
  const [type, shown] = Object.entries(showExamples(content!, document))[0]!
  const purposes = Object.entries(headers).map(([name, header]): [string, string] => [
    name,
    follow(header, document).description,
  ])
  return { status, type, content: shown, description, headers: purposes }
}

/** Returns the errors of an operation: its own, and those for all callers of its surface. */
export function errorsOf(
  { responses, requestBody, tag, 'x-errors': own = [] }: Operation,
  document: ApiDocument,
): ApiError[] {
  const ofSurface = document.tags.find(({ name }) => name === tag)?.['x-errors'] ?? []
  const codes = [...own, ...ofSurface, 'validation_failed', ...(requestBody ? ['body_malformed'] : [])]
  return allErrors(document).filter(({ status, code }) => status in responses && codes.includes(code))
}

/** Returns every error in the document, by status. */
export const allErrors = ({ components }: ApiDocument): ApiError[] =>
  Object.entries(components.examples)
    .filter(([, { summary }]) => summary !== undefined)
    .map(([code, { summary, value }]) => ({ status: summary!.slice(0, 3), code, body: value }))
    .toSorted((a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code))

export const resolve = (schema: JsonSchema, document: ApiDocument): JsonSchema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!

/** Describes the type of a value, for example `string`, `array of VipUser` or `"VIP" | "STANDARD"`. */
export function typeName(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeName))].join(' | ')
  if (schema.type === 'array' && schema.items !== undefined) return `array of ${typeName(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' | ')
}
