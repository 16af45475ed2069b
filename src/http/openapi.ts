import type { Schema } from 'joi'
import type { ErrorCode } from '../errors.js'
import type { ApiExample, ApiExamples } from './examples.js'
import { Components, type Json } from './json-schema.js'
import { answeredAs, ErrorParts, referTo } from './openapi-errors.js'
import type { AnswerHeader, Operation } from './operation.js'
import { permissionsOf } from './principal.js'
import { isTagged, type Route, routesOf, type Surface } from './surfaces.js'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Json

const headerKey = (name: string, description: string): Json => ({ type: 'apiKey', in: 'header', name, description })

const SECURITY_SCHEMES: Record<string, Json> = {
  apiKey: headerKey('x-api-key', "The id of the caller's API key."),
  signature: headerKey('x-signature', "HMAC-SHA256 of the x-date string, keyed by the key's secret, in lowercase hex."),
  date: headerKey(
    'x-date',
    'The current time as an IMF-fixdate, such as `Fri, 20 Nov 2026 09:00:00 GMT`; valid for 30 seconds.',
  ),
  earlierDate: headerKey(
    'x-date',
    'The current time in ISO 8601, at most 5 seconds ahead of the server and 60 seconds behind it.',
  ),
  version: headerKey('x-api-version', 'The only supported value is 1.'),
  bearer: { type: 'http', scheme: 'bearer', description: "An operator's token, or a token that a person made." },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-greenroom',
    description:
      'The session of a person who has signed in. Changes also need Sec-Fetch-Site: same-origin, or the Origin of this server.',
  },
  reviewLink: { type: 'http', scheme: 'bearer', description: 'The token of a review link.' },
}

const TEXT = { type: 'string' }
const header = (description: string, schema: Json = TEXT): Json => ({ description, schema })

/** The headers of responses. */
const HEADERS: Record<string, Json> = {
  'x-request-id': header('Identifies the request in the log: quote it when you report a problem.'),
  'x-error-code': header('The code of the error.'),
  RateLimit: header(
    '`"name";r=left;t=seconds`: the remaining requests, if they are few, and the seconds until all are available again.',
  ),
  'RateLimit-Policy': header('`"name";q=requests;w=seconds`: the limit that RateLimit refers to.'),
  'Retry-After': header('Seconds to wait before the next call.', { type: 'integer' }),
  ETag: header('The version of the response, for If-Match or If-None-Match.'),
  'x-next-cursor': header('Present if there is a next page: send it as `after`.'),
}
const OF_EVERY_ANSWER = ['x-request-id']
const OF_LIMITED = ['RateLimit', 'RateLimit-Policy']

const ANSWER_HEADERS: Record<AnswerHeader, string> = { etag: 'ETag', 'x-next-cursor': 'x-next-cursor' }

export interface DocumentParts {
  version: string
  /** Recorded calls with their responses. */
  examples?: ApiExamples
  /** The events sent to webhooks, by type. */
  events?: Readonly<Record<string, { when: string; body: Schema }>>
}

/** Makes the OpenAPI document of these operations on these surfaces, from the same schemas that validate requests. */
export function makeOpenApi(
  surfaces: readonly Surface[],
  operations: readonly Operation[],
  { version, examples = { operations: {}, surfaces: {} }, events = {} }: DocumentParts,
): OpenApiDocument {
  const maker = new DocumentMaker(surfaces, examples)
  const paths: Record<string, Record<string, Json>> = {}
  for (const surface of surfaces) {
    for (const route of routesOf(surface, operations)) {
      paths[route.path] ??= {}
      paths[route.path]![route.operation.method.toLowerCase()] = maker.describe(surface, route)
    }
  }
  const webhooks = Object.entries(events).map(([type, event]): [string, { post: Json }] => [
    type,
    { post: maker.describeEvent(type, event) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Greenroom',
      version,
      description:
        "A social-engagement workspace over HTTP: a channel's VIP audience, the daily insights of message campaigns, and scheduled posts. " +
        'Every response is JSON unless its operation says otherwise. The x-error-code header has the code of an error; x-errors of an operation or tag lists the codes to expect. ' +
        'In addition, /healthz and /readyz are for probes and need no credential. /status (JSON) and /metrics (Prometheus) need the bearer token METRICS_TOKEN if it is set; otherwise they answer only callers on the same machine.',
      contact: { name: 'Greenroom' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: surfaces.map((surface) => maker.describeTag(surface)),
    security: maker.security,
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) }),
    components: maker.components(
      Object.values(paths).flatMap((methods) => Object.values(methods)),
      webhooks.map(([, { post }]) => post),
    ),
  }
}

/** Describes operations, and collects what they refer to. */
class DocumentMaker {
  readonly #schemas = new Components()
  readonly #errors = new ErrorParts(this.#schemas)
  readonly #examples: Record<string, Json> = {}
  readonly #usedHeaders = new Set<string>()
  /** The credentials of the last surface, which most operations accept. */
  readonly security: Json[]

  constructor(
    readonly surfaces: readonly Surface[],
    readonly made: ApiExamples,
  ) {
    this.security = securityOf(surfaces.at(-1)!)
  }

  describe(surface: Surface, route: Route): Json {
    const { operation, operationId, params, isOpen, answers } = route
    const example = this.made.operations[operation.operationId]
    const given = { ...example?.params, ...example?.query, ...example?.headers }
    if (params !== undefined) given.organizationId ??= this.#organizationId()
    const takesNone = operation.permission === 'device'
    const sample = example?.clients[surface.name]
    const errors = answers.filter((status) => status >= 300)
    return {
      operationId,
      summary: isOpen ? operation.summary : `Always refused here. ${operation.summary}`,
      description: operation.description,
      'x-permission': operation.permission,
      ...(operation.needsConfirmation && surface.organization === 'path' ? { 'x-needs-confirmation': true } : {}),
      ...(example === undefined ? {} : { 'x-errors': this.#errors.list(codesOf(route, example)) }),
      // The client uses this name.
      ...(operationId === operation.operationId ? {} : { 'x-operation': operation.operationId }),
      ...(sample === undefined ? {} : { 'x-codeSamples': [{ lang: 'TypeScript', source: sample }] }),
      tags: [surface.docs.tag],
      ...(takesNone ? { security: [] } : surface === this.surfaces.at(-1) ? {} : { security: securityOf(surface) }),
      parameters: [
        ...this.#describeParameters('path', params, given),
        ...this.#describeParameters('query', operation.query, given),
        ...describeHeaders(operation.headers, given),
      ],
      ...this.#describeBody(route, example),
      responses: {
        ...this.#describeSuccess(surface, route, example),
        ...Object.fromEntries(errors.map((status) => [status, this.#errors.refer(status)])),
        default: this.#errors.refer('default'),
      },
    }
  }

  /** Describes a surface as a tag, with the errors of its own checks. */
  describeTag({ name, docs, organization }: Surface): Json {
    const codes = [...((this.made.surfaces[name] ?? []) as ErrorCode[])]
    if (organization === 'path') codes.push('organization_not_found')
    return { name: docs.tag, description: docs.description, 'x-errors': this.#errors.list(codes) }
  }

  describeEvent(type: string, { when, body }: { when: string; body: Schema }): Json {
    const name = (text: string, description: string): Json => ({
      ...{ name: text, in: 'header', required: true, description, schema: TEXT },
    })
    return {
      operationId: `on${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
      summary: `Sent when ${when}.`,
      description: 'It is sent again until the receiver answers 2xx within 10 seconds (docs/notifications.md).',
      tags: [this.surfaces.at(-1)!.docs.tag],
      security: [],
      parameters: [
        name('webhook-id', 'The id of the event.'),
        name('webhook-timestamp', 'Seconds since 1970.'),
        name('webhook-signature', '`v1,` and an HMAC-SHA256 in base64, as in Standard Webhooks.'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: this.#schemas.convert(body) } } },
      responses: { '2XX': { description: 'The event is delivered.' } },
    }
  }

  /** Returns the parts that operations and events refer to. */
  components(described: readonly Json[], events: readonly Json[]): Json {
    const parameters = shareParameters([...described, ...events])
    const schemes = new Set(this.surfaces.flatMap(({ docs }) => docs.security.flat()))
    const responses = this.#errors.responses((own) => this.#headers(own))
    return {
      securitySchemes: pick(SECURITY_SCHEMES, schemes),
      parameters,
      headers: pick(HEADERS, this.#usedHeaders),
      responses,
      schemas: this.#relaxAnswers([...described.map(({ requestBody }) => requestBody), parameters]),
      examples: { ...this.#examples, ...this.#errors.examples() },
    }
  }

  /** Returns the named schemas, relaxed unless a request must conform to them. */
  #relaxAnswers(requests: readonly unknown[]): Json {
    const { schemas } = this.#schemas
    const kept = new Set(namesIn(requests))
    for (const name of kept) for (const inside of namesIn(schemas[name])) kept.add(inside)
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, kept.has(name) ? schema : relax(schema)]),
    )
  }

  #describeBody({ operation, body }: Route, example: ApiExample | undefined): Json {
    const { bodyIsOptional = false, streams } = operation
    const shown = example?.body === undefined ? {} : this.#show(operation, 'Body', example.body)
    if (streams !== undefined) {
      const content = streams.map((type) => [type, { schema: TEXT, ...(type === example?.bodyType ? shown : {}) }])
      return { requestBody: { required: true, content: Object.fromEntries(content) } }
    }
    if (body === undefined) return {}
    const schema = this.#schemas.convert(body)
    return { requestBody: { required: !bodyIsOptional, content: { 'application/json': { schema, ...shown } } } }
  }

  #describeSuccess(surface: Surface, { operation, success, isOpen }: Route, example: ApiExample | undefined): Json {
    const headers = (operation.answerHeaders ?? []).map((name) => ANSWER_HEADERS[name])
    if (isLimited(surface, operation)) headers.push(...OF_LIMITED)
    if (isTagged(surface, operation) && operation.successType === undefined) headers.push('ETag')
    const answer = isOpen && example?.answer !== undefined ? this.#show(operation, 'Answer', example.answer) : {}
    return {
      [operation.answers.find((status) => status < 300)!]: {
        description: isOpen
          ? 'Success.'
          : `Needs the permission ${permissionsOf(operation.permission).join(' or ')}, which no caller has here.`,
        headers: this.#headers(headers),
        content: {
          [operation.successType ?? 'application/json']: { schema: relax(this.#schemas.convert(success)), ...answer },
        },
      },
    }
  }

  /** Refers to the headers of a response. */
  #headers(own: readonly string[]): Json {
    const names = [...new Set([...OF_EVERY_ANSWER, ...own])]
    for (const name of names) this.#usedHeaders.add(name)
    return Object.fromEntries(names.map((name) => [name, referTo('headers', name)]))
  }

  /** Shows an example in place; an operation on several surfaces has it among the components. */
  #show({ operationId, surfaces }: Operation, of: string, made: unknown): Json {
    const value = shorten(made)
    const places = this.surfaces.filter(({ name }) => surfaces.includes(name))
    if (places.length < 2) return { example: value }
    const name = `${operationId}${of}`
    this.#examples[name] = { value }
    return { examples: { call: referTo('examples', name) } }
  }

  #describeParameters(
    where: 'path' | 'query',
    schema: Schema | undefined,
    given: Readonly<Record<string, string>>,
  ): Json[] {
    if (schema === undefined) return []
    const { properties = {}, required = [] } = this.#schemas.shapeOf(schema) as {
      properties?: Record<string, Json>
      required?: string[]
    }
    return Object.entries(properties).map(([name, { description, ...property }]) => ({
      name,
      in: where,
      ...(where === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: property,
      ...(given[name] === undefined ? {} : { example: toTyped(given[name], property) }),
    }))
  }

  /** Returns the organization id of the examples, for an operation recorded on a surface whose paths have none. */
  #organizationId(): string {
    return (this.made.operations.createOrganization?.answer as { id?: string } | undefined)?.id ?? 'org_'
  }
}

const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!)

/** Omits what a reader of responses need not know: that texts are not empty, and that there are no further members. */
function relax<Value>(value: Value): Value {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(relax) as Value
  const { additionalProperties, minLength, ...rest } = value as Json
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, relax(member)])),
    ...(additionalProperties === undefined || additionalProperties === false
      ? {}
      : { additionalProperties: relax(additionalProperties) }),
    ...(minLength === undefined || minLength === 1 ? {} : { minLength }),
  } as Value
}

/** Keeps two items of each list, because the others are alike. */
function shorten(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.slice(0, 2).map(shorten)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]))
}

const pick = (all: Record<string, Json>, names: ReadonlySet<string>): Record<string, Json> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))

const securityOf = ({ docs }: Surface): Json[] =>
  docs.security.map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []])))

/**
 * Returns whether an operation is rate limited: a key has a rate on its own surfaces, a person has one for changes, and
 * expensive operations have their own.
 */
const isLimited = ({ organization }: Surface, { method, rateLimit }: Operation): boolean =>
  organization === 'caller' || method !== 'GET' || rateLimit !== undefined

/** Returns the recorded error codes that the operation can return on this surface. */
const codesOf = ({ isOpen, answers }: Route, { errors }: ApiExample): ErrorCode[] =>
  (errors as ErrorCode[]).filter((code) => {
    const status = answeredAs(code)
    const isAnswered = status === 'default' || answers.includes(status)
    return isAnswered && code !== 'organization_not_found' && (code !== 'approval_is_human' || !isOpen)
  })

/** Converts a value from an address to its schema's type. */
function toTyped(value: string, { type }: Json): unknown {
  if (type === 'integer' || type === 'number') return Number(value)
  return type === 'boolean' ? value === 'true' : value
}

const describeHeaders = (headers: Operation['headers'] = {}, given: Readonly<Record<string, string>>): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: TEXT,
    ...(given[name] === undefined ? {} : { example: given[name] }),
  }))

/**
 * Moves parameters that several operations share into components, and refers to them. If there are several with one name,
 * the most common gets it, and the others stay in place.
 */
function shareParameters(described: readonly Json[]): Record<string, Json> {
  const uses = new Map<string, { shared: Json; lists: Json[][] }>()
  for (const { parameters } of described as { parameters: Json[] }[]) {
    for (const { example: _, ...alike } of parameters) {
      const key = JSON.stringify(alike)
      const use = uses.get(key) ?? { shared: alike, lists: [] }
      use.lists.push(parameters)
      uses.set(key, use)
    }
  }
  const components: Record<string, Json> = {}
  for (const [key, { lists }] of [...uses].sort(([, a], [, b]) => b.lists.length - a.lists.length)) {
    for (const list of lists) {
      const index = list.findIndex(({ example: _, ...alike }) => JSON.stringify(alike) === key)
      const parameter = list[index]!
      const name = String(parameter.name)
      if (lists.length < 2 || (components[name] !== undefined && components[name].key !== key)) break
      components[name] ??= { ...parameter, key }
      list[index] = referTo('parameters', name)
    }
  }
  return Object.fromEntries(Object.entries(components).map(([name, { key: _, ...parameter }]) => [name, parameter]))
}
