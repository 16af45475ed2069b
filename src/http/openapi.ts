import type { Schema } from 'joi'
import { ApiError, ERRORS, type ErrorCode } from '../errors.js'
import { toErrorBody } from './error-handler.js'
import type { ApiExample, ApiExamples } from './examples.js'
import { type Operation, takesNoCredential } from './operation.js'
import { permissionsOf } from './principal.js'
import { type Route, routesOf, type Surface } from './surfaces.js'

type Json = Record<string, unknown>

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Json

const headerKey = (name: string, description: string): Json => ({ type: 'apiKey', in: 'header', name, description })

const SECURITY_SCHEMES = {
  apiKey: headerKey('x-api-key', "The id of the caller's API key."),
  signature: headerKey('x-signature', "HMAC-SHA256 of the x-date string, keyed by the key's secret, in lowercase hex."),
  date: headerKey(
    'x-date',
    'The current time as an IMF-fixdate, such as `Fri, 20 Nov 2026 09:00:00 GMT`; valid for 30 seconds.',
  ),
  earlierDate: headerKey(
    'x-date',
    'The current time in ISO 8601; at most 5 seconds ahead of and 60 behind the server.',
  ),
  version: headerKey('x-api-version', 'The only supported value is 1.'),
  operator: { type: 'http', scheme: 'bearer', description: 'The OPERATOR_TOKEN of the server.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-greenroom',
    description:
      'The session of a person who has signed in. A change takes Sec-Fetch-Site: same-origin as well, or the Origin of this server.',
  },
  reviewLink: { type: 'http', scheme: 'bearer', description: 'The token of a review link.' },
}

const MESSAGE_ERROR = { $ref: '#/components/schemas/MessageError' }

/** The meaning of each status besides success, and its body (interface 7). */
const ERROR_ANSWERS: Record<number, { description: string; schema?: Json }> = {
  304: { description: 'It is still as you have it (If-None-Match); there is no body.' },
  400: { description: 'A rule is broken, or the version header is missing or unsupported.', schema: MESSAGE_ERROR },
  401: { description: 'The token, the session or the password is missing, wrong or over.', schema: MESSAGE_ERROR },
  402: { description: 'The organization is inactive.', schema: MESSAGE_ERROR },
  403: {
    description: 'The authentication failed, or the caller may not do this; the text names the reason.',
    schema: MESSAGE_ERROR,
  },
  404: { description: 'There is no such thing, or it is not yours.', schema: MESSAGE_ERROR },
  408: { description: 'The body did not arrive in time.', schema: MESSAGE_ERROR },
  409: { description: 'It is in conflict with what exists.', schema: { $ref: '#/components/schemas/ConflictError' } },
  412: { description: 'It has changed since you read it (If-Match).', schema: MESSAGE_ERROR },
  428: { description: 'It takes If-Match with the ETag that you have read.', schema: MESSAGE_ERROR },
  422: { description: 'The request has the wrong shape.', schema: { $ref: '#/components/schemas/ValidationError' } },
}

const OTHER_ERROR = {
  description: `Any other error: ${[413, 415, 429, 500, 502, 503, 504].join(', ')}. A 429 says in Retry-After, RateLimit-Policy and RateLimit when to call again.`,
  content: { 'application/json': { schema: MESSAGE_ERROR } },
}

/**
 * The OpenAPI 3.1 document of the surfaces, made from the very schemas that validate. `components` names the
 * schemas that stand in several places: there the document refers to them. `examples` are calls that were made.
 */
export function makeOpenApi(
  surfaces: readonly Surface[],
  operations: readonly Operation[],
  components: Readonly<Record<string, Schema>>,
  version: string,
  examples: ApiExamples = { operations: {}, surfaces: {} },
): OpenApiDocument {
  const paths: Record<string, Json> = {}
  for (const surface of surfaces) {
    for (const route of routesOf(surface, operations)) {
      const { path } = route
      paths[path] = { ...paths[path], [route.operation.method.toLowerCase()]: describeRoute(surface, route, examples) }
    }
  }
  const schemas = Object.entries(components).map(([name, schema]): [string, Json] => [name, toJsonSchema(schema)])
  const names = new Map(schemas.map(([name, schema]) => [JSON.stringify(schema), name]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Greenroom',
      version,
      description:
        "A social-engagement workspace over HTTP: a channel's VIP audience, the daily insights of message campaigns, scheduled posts. " +
        'Every answer is JSON and carries an x-request-id header; an error also carries its code in x-error-code. ' +
        'Beside the operations, without a key: /healthz and /readyz for probes, which take no credential; /status (JSON) and /metrics ' +
        "(Prometheus), which take the bearer token METRICS_TOKEN where the server has one, and else answer the server's own machine alone.",
      contact: { name: 'Greenroom' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    'x-errors': ERROR_EXAMPLES,
    tags: surfaces.map(({ docs }) => ({ name: docs.tag, description: docs.description })),
    paths: share(paths, names),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: {
        ...ERROR_SCHEMAS,
        ...Object.fromEntries(schemas.map(([name, schema]) => [name, shareMembers(schema, names)])),
      },
      examples: usedExamples(paths),
    },
  }
}

/** The same value with a reference wherever a named schema stands. */
function share(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (value === null || typeof value !== 'object') return value
  const { description, ...schema } = value as Json
  const isNullable = Array.isArray(schema.type) && schema.type[0] === 'object' && schema.type[1] === 'null'
  const name = names.get(JSON.stringify(isNullable ? { ...schema, type: 'object' } : schema))
  if (name === undefined) return shareMembers(value, names)
  const reference = { $ref: `#/components/schemas/${name}` }
  return {
    ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
    ...(description === undefined ? {} : { description }),
  }
}

function shareMembers(value: object, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => share(item, names))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, share(member, names)]))
}

const NEEDS_CONFIRMATION =
  'Takes a session whose person has proven who they are within ten minutes: otherwise 403 confirmation_needed (GET /me/confirmation).'

function describeRoute(surface: Surface, route: Route, { operations, surfaces }: ApiExamples): Json {
  const { docs, name } = surface
  const { operation, operationId, params, isOpen, answers, success: successBody } = route
  const success = operation.answers.find((status) => status < 300)
  const errors = answers.filter((status) => status >= 300)
  const example = operations[operation.operationId]
  const given = { ...example?.params, ...example?.query, ...example?.headers }
  if (params !== undefined) given.organizationId ??= organizationIn(operations)
  const requestBody = describeBody(operation, example)
  const refusals = refusalsOn(surface, route, example, surfaces[name])
  return {
    operationId,
    summary: isOpen ? operation.summary : `Refused here. ${operation.summary}`,
    description:
      operation.needsConfirmation && name === 'api'
        ? `${operation.description} ${NEEDS_CONFIRMATION}`
        : operation.description,
    'x-permission': operation.permission,
    ...(operation.needsConfirmation && name === 'api' ? { 'x-needs-confirmation': true } : {}),
    ...(example?.clients[name] === undefined ? {} : { 'x-codeSamples': toSamples(example.clients[name]) }),
    tags: [docs.tag],
    security: takesNoCredential(operation) ? [] : [Object.fromEntries(docs.security.map((scheme) => [scheme, []]))],
    parameters: [
      ...describeParameters('path', params, given),
      ...describeParameters('query', operation.query, given),
      ...describeHeaders(operation.headers, given),
    ],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      [String(success)]: {
        description: isOpen
          ? 'Success.'
          : `Only for a caller who holds ${permissionsOf(operation.permission).join(' or ')}, and none does here.`,
        ...describeAnswerHeaders(operation),
        content: {
          [operation.successType ?? 'application/json']: {
            schema: toJsonSchema(successBody),
            ...(isOpen && example?.answer !== undefined ? { example: example.answer } : {}),
          },
        },
      },
      ...Object.fromEntries(errors.map((status) => [String(status), describeError(status, refusals)])),
      default: OTHER_ERROR,
    },
  }
}

/**
 * The bodies by error code that the surface and the operation were seen to refuse with, as far as they apply here.
 */
function refusalsOn(
  { organization }: Surface,
  { operation, isOpen }: Route,
  example: ApiExample | undefined,
  ofSurface: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const refusals: Record<string, unknown> = { ...ofSurface, ...example?.errors }
  for (const code of Object.keys(refusals)) {
    // A sign-in has no caller whom the surface could refuse.
    if (takesNoCredential(operation) && code in ofSurface && ERRORS[code as ErrorCode][0] === 401) delete refusals[code]
  }
  if (isOpen) delete refusals.approval_is_human
  if (organization === 'caller' || operation.scope === 'server') delete refusals.organization_not_found
  else refusals.organization_not_found = usualBody('organization_not_found')
  return refusals
}

const toSamples = (source: string): Json[] => [{ lang: 'TypeScript', label: 'greenroom/client', source }]

/** That of the examples, for where an operation was called on another surface, whose paths have none. */
function organizationIn(operations: ApiExamples['operations']): string {
  return (operations.createOrganization?.answer as { id?: string } | undefined)?.id ?? 'org_'
}

function describeError(status: number, refusals: Readonly<Record<string, unknown>>): Json {
  const answer = ERROR_ANSWERS[status]
  if (answer === undefined) throw new Error(`status ${status} has no description in openapi.ts`)
  const { description, schema } = answer
  if (schema === undefined) return { description }
  const examples = Object.entries(refusals)
    .filter(([code]) => ERRORS[code as ErrorCode][0] === status)
    .map(([code, value]) => [code, isUsual(code as ErrorCode, value) ? toExampleReference(code) : { value }])
  const described = examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }
  return { description, content: { 'application/json': { schema, ...described } } }
}

const toExampleReference = (code: string): Json => ({ $ref: `#/components/examples/${code}` })

const usualBody = (code: ErrorCode): Json => toErrorBody(new ApiError(code))

/** Tells if the body is the one that the error has unless its place knows better. */
const isUsual = (code: ErrorCode, body: unknown): boolean => JSON.stringify(body) === JSON.stringify(usualBody(code))

/** Those that an operation refers to. */
function usedExamples(paths: Json): Json {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(ERROR_EXAMPLES).filter(([code]) => text.includes(`"#/components/examples/${code}"`)),
  )
}

/** Each error with its usual body. */
const ERROR_EXAMPLES = Object.fromEntries(
  (Object.keys(ERRORS) as ErrorCode[]).map((code) => [
    code,
    { summary: `${ERRORS[code][0]} ${code}`, value: usualBody(code) },
  ]),
)

function describeBody(
  { body, bodyIsOptional = false, streams }: Operation,
  example: ApiExample | undefined,
): Json | undefined {
  const shown = example?.body === undefined ? {} : { example: example.body }
  if (streams !== undefined) {
    const content = streams.map((type) => [type, { schema: TEXT, ...(type === example?.bodyType ? shown : {}) }])
    return { required: true, content: Object.fromEntries(content) }
  }
  if (body === undefined) return undefined
  return { required: !bodyIsOptional, content: { 'application/json': { schema: toJsonSchema(body), ...shown } } }
}

function describeParameters(
  where: 'path' | 'query',
  schema: Schema | undefined,
  given: Readonly<Record<string, string>>,
): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = toJsonSchema(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
    ...(given[name] === undefined ? {} : { example: toTyped(given[name], property) }),
  }))
}

/** A value of an address as its schema has it. */
function toTyped(value: string, { type }: Json): unknown {
  if (type === 'integer' || type === 'number') return Number(value)
  return type === 'boolean' ? value === 'true' : value
}

function describeHeaders(headers: Operation['headers'] = {}, given: Readonly<Record<string, string>>): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: TEXT,
    ...(given[name] === undefined ? {} : { example: given[name] }),
  }))
}

function describeAnswerHeaders({ answerHeaders }: Operation): Json {
  if (answerHeaders === undefined) return {}
  const headers = Object.entries(answerHeaders).map(([name, description]) => [name, { description, schema: TEXT }])
  return { headers: Object.fromEntries(headers) }
}

/** Joi leaves null out of the values of a schema that allows it. */
function withNullInEnums(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(withNullInEnums)
  const schema = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withNullInEnums(member)]))
  const { type, enum: values } = schema
  const lacksNull = Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null)
  return lacksNull ? { ...schema, enum: [...values, null] } : schema
}

function toJsonSchema(schema: Schema): Json {
  return withNullInEnums(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as Json) as Json
}

const TEXT = { type: 'string' }
const listOf = (items: Json): Json => ({ type: 'array', items })
const objectOf = (properties: Json, required = Object.keys(properties)): Json => ({
  type: 'object',
  required,
  properties,
})

const ERROR_SCHEMAS = {
  MessageError: {
    type: 'object',
    description: `Codes in x-error-code: ${Object.keys(ERRORS).join(', ')}.`,
    required: ['message'],
    properties: { message: TEXT },
  },
  ConflictError: objectOf(
    {
      message: TEXT,
      conflicts: listOf(
        objectOf(
          {
            mediumId: TEXT,
            hashtag: TEXT,
            reason: { type: 'string', enum: ['already-in-use'] },
            scheduledPostId: { ...TEXT, description: 'The post that has it: in the console alone.' },
          },
          ['mediumId', 'hashtag', 'reason'],
        ),
      ),
    },
    ['message'],
  ),
  ValidationError: objectOf({
    error: listOf(objectOf({ message: TEXT, path: listOf(TEXT), type: TEXT, context: { type: 'object' } })),
  }),
}
