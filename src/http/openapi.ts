import type { Schema } from 'joi'
import { ERRORS } from '../errors.js'
import type { Operation } from './operation.js'
import { permissionsOf } from './principal.js'
import { type Route, routesOf, type Surface } from './surfaces.js'

type Json = Record<string, unknown>

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Json

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: "The id of the caller's API key." },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'x-signature',
    description: "HMAC-SHA256 of the x-date string, keyed by the key's secret, in lowercase hex.",
  },
  date: {
    type: 'apiKey',
    in: 'header',
    name: 'x-date',
    description: 'The current time as an IMF-fixdate, such as `Fri, 20 Nov 2026 09:00:00 GMT`; valid for 30 seconds.',
  },
  earlierDate: {
    type: 'apiKey',
    in: 'header',
    name: 'x-date',
    description: 'The current time in ISO 8601; at most 5 seconds ahead of and 60 behind the server.',
  },
  version: { type: 'apiKey', in: 'header', name: 'x-api-version', description: 'The only supported value is 1.' },
  operator: { type: 'http', scheme: 'bearer', description: 'The OPERATOR_TOKEN of the server.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-greenroom',
    description:
      'The session of a person who has signed in. A change takes Sec-Fetch-Site: same-origin as well, or the Origin of this server.',
  },
  reviewLink: { type: 'http', scheme: 'bearer', description: 'The token of a link to one post.' },
} as const

const MESSAGE_ERROR = { $ref: '#/components/schemas/MessageError' }

/** What a status says besides success, and the body it has (interface 7). */
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
 * The OpenAPI 3.1 document of the surfaces, made from the very schemas that validate. `components` names the schemas that
 * stand in several places: there the document refers to them.
 */
export function makeOpenApi(
  surfaces: readonly Surface[],
  operations: readonly Operation[],
  components: Readonly<Record<string, Schema>>,
  version: string,
): OpenApiDocument {
  const paths: Record<string, Json> = {}
  for (const surface of surfaces) {
    for (const route of routesOf(surface, operations)) {
      const { path } = route
      paths[path] = { ...paths[path], [route.operation.method.toLowerCase()]: describeRoute(surface, route) }
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
        'Every answer is JSON and carries an x-request-id header; an error also carries its code in x-error-code.',
      contact: { name: 'Greenroom' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: surfaces.map(({ docs }) => ({ name: docs.tag, description: docs.description })),
    paths: share(paths, names),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: {
        ...ERROR_SCHEMAS,
        ...Object.fromEntries(schemas.map(([name, schema]) => [name, shareMembers(schema, names)])),
      },
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

function describeRoute({ docs }: Surface, { operation, operationId, params, isOpen, answers }: Route): Json {
  const success = operation.answers.find((status) => status < 300)
  const errors = answers.filter((status) => status >= 300)
  const requestBody = describeBody(operation)
  return {
    operationId,
    summary: isOpen ? operation.summary : `Refused here. ${operation.summary}`,
    description: operation.description,
    'x-permission': operation.permission,
    tags: [docs.tag],
    security: isPublic(operation) ? [] : [Object.fromEntries(docs.security.map((scheme) => [scheme, []]))],
    parameters: [
      ...describeParameters('path', params),
      ...describeParameters('query', operation.query),
      ...describeHeaders(operation.headers),
    ],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      [String(success)]: {
        description: isOpen
          ? 'Success.'
          : `Only for a caller who holds ${permissionsOf(operation.permission).join(' or ')}, and none does here.`,
        ...describeAnswerHeaders(operation),
        content: { [operation.successType ?? 'application/json']: { schema: toJsonSchema(operation.success) } },
      },
      ...Object.fromEntries(errors.map((status) => [String(status), describeError(status)])),
      default: OTHER_ERROR,
    },
  }
}

/** Called before there is a session. */
const isPublic = ({ permission }: Operation): boolean => permission === 'sign-in'

function describeError(status: number): Json {
  const answer = ERROR_ANSWERS[status]
  if (answer === undefined) throw new Error(`status ${status} has no description in openapi.ts`)
  const { description, schema } = answer
  return { description, ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }) }
}

function describeBody({ body, bodyIsOptional = false, streams }: Operation): Json | undefined {
  if (streams !== undefined) {
    const content = Object.fromEntries(streams.map((type) => [type, { schema: { type: 'string' } }]))
    return { required: true, content }
  }
  if (body === undefined) return undefined
  return { required: !bodyIsOptional, content: { 'application/json': { schema: toJsonSchema(body) } } }
}

function describeParameters(where: 'path' | 'query', schema: Schema | undefined): Json[] {
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
  }))
}

function describeHeaders(headers: Operation['headers'] = {}): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
}

function describeAnswerHeaders({ answerHeaders }: Operation): Json {
  if (answerHeaders === undefined) return {}
  const headers = Object.entries(answerHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return { headers: Object.fromEntries(headers) }
}

function toJsonSchema(schema: Schema): Json {
  return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as Json
}

const ERROR_SCHEMAS = {
  MessageError: {
    type: 'object',
    description: `Codes in x-error-code: ${Object.keys(ERRORS).join(', ')}.`,
    required: ['message'],
    properties: { message: { type: 'string' } },
  },
  ConflictError: {
    type: 'object',
    required: ['message'],
    properties: {
      message: { type: 'string' },
      conflicts: {
        type: 'array',
        items: {
          type: 'object',
          required: ['mediumId', 'hashtag', 'reason'],
          properties: {
            mediumId: { type: 'string' },
            hashtag: { type: 'string' },
            reason: { type: 'string', enum: ['already-in-use'] },
          },
        },
      },
    },
  },
  ValidationError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'array',
        items: {
          type: 'object',
          required: ['message', 'path', 'type', 'context'],
          properties: {
            message: { type: 'string' },
            path: { type: 'array', items: { type: 'string' } },
            type: { type: 'string' },
            context: { type: 'object' },
          },
        },
      },
    },
  },
}
