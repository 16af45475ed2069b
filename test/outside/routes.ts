/** The routes of the matrix, read from a document, so that a new operation needs no edit here. */
import type { InjectOptions } from 'fastify'
import { type ApiDocument, type DescribedOperation, exampleOf, followed, operationsIn } from '../documents.js'
import { jpeg } from '../media.js'

export type SurfaceName = 'v1' | 'v0' | 'api' | 'review'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  minLength?: number
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
  example?: unknown
}

export interface OutsideRoute {
  operationId: string
  surface: SurfaceName
  method: NonNullable<InjectOptions['method']>
  path: string
  /** Any one of them is enough. */
  permissions: string[]
  parameters: Parameter[]
  body?: { type: string; example: unknown; properties: string[] }
  statuses: number[]
}

/** Values by kind: `workspaceId`, `scheduledPostId`, `mail`, … */
export type Ids = Readonly<Record<string, string>>

export interface OutsideRequest {
  method: OutsideRoute['method']
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

const PREFIXES: [prefix: string, surface: SurfaceName][] = [
  ['/v1/', 'v1'],
  ['/v0/', 'v0'],
  ['/api/review/', 'review'],
  ['/api/', 'api'],
]

export function readRoutes(document: ApiDocument): OutsideRoute[] {
  return operationsIn(document).map(({ path, method, ...described }) => {
    const surface = PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1]
    if (surface === undefined) throw new Error(`${path} belongs to no surface that this test knows`)
    return {
      operationId: described.operationId,
      surface,
      method: method as OutsideRoute['method'],
      path,
      permissions: [described['x-permission']].flat(),
      parameters: described.parameters.map((parameter) => followed(parameter, document) as unknown as Parameter),
      ...bodyOf(described, document),
      statuses: Object.keys(described.responses)
        .filter((status) => status !== 'default')
        .map(Number),
    }
  })
}

function bodyOf(
  { requestBody }: Pick<DescribedOperation, 'requestBody'>,
  document: ApiDocument,
): Pick<OutsideRoute, 'body'> {
  if (requestBody === undefined) return {}
  // The first type of an upload is generic; the next one names a format.
  const types = Object.entries(requestBody.content).filter(([name]) => name !== 'application/octet-stream')
  const [[type, content] = ['', { schema: {} }]] = types
  const schema = followed(content.schema, document) as Schema
  const made = exampleOf(content, document) ?? (type === 'application/json' ? makeValue(schema, document) : undefined)
  return { body: { type, example: made, properties: Object.keys(schema.properties ?? {}) } }
}

/** Makes the smallest value of a schema, because a new route has no example until they are made. */
function makeValue(given: Schema, document: ApiDocument): unknown {
  const schema = followed(given as Record<string, unknown>, document) as Schema
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (choice !== undefined) return makeValue(choice, document)
  if (schema.enum !== undefined) return schema.enum[0]
  switch ([schema.type].flat()[0]) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'string':
      return 'a'.repeat(Math.max(schema.minLength ?? 1, 12))
    case 'array':
      return schema.items === undefined ? [] : [makeValue(schema.items, document)]
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, makeValue(schema.properties?.[name] ?? {}, document)]),
      )
  }
}

/** Returns the kind of object that a parameter names, if any. */
function kindOf({ path, operationId }: OutsideRoute, { name, in: where }: Pick<Parameter, 'name' | 'in'>): string {
  if (name === 'mediumId') return 'channelId'
  if (where === 'path' && name === 'id') return 'scheduledPostId'
  if (where === 'path' && name === 'name') return path.includes('operator-tokens') ? 'operatorTokenName' : name
  return operationId === 'deleteOrganization' && name === 'name' ? 'confirmation' : name
}

/** Optional query parameters that name an object. */
const NAMES_A_THING = /Id$/

/** Returns the kinds of ids that the route takes in the path, in the query and in the body. */
export function kindsOf(route: OutsideRoute, known: Ids): { path: string[]; query: string[]; body: string[] } {
  const inParameters = (where: string): string[] =>
    route.parameters
      .filter((parameter) => parameter.in === where)
      .map((parameter) => kindOf(route, parameter))
      // A number names a post of the calling link, whatever another link has under it.
      .filter((kind) => kind !== 'organizationId' && kind !== 'number' && (kind in known || where === 'path'))
      .filter((kind) => where === 'path' || NAMES_A_THING.test(kind))
  const inBody: string[] = []
  if (route.body?.type === 'application/json') {
    const noting = new Proxy(known, {
      get(target, kind: string) {
        inBody.push(kind)
        return target[kind]
      },
    })
    fillBody(route, noting)
  }
  return {
    path: inParameters('path'),
    query: inParameters('query'),
    body: [...new Set(inBody)],
  }
}

const LIST_OF_CONVERSATIONS = 'conversationId,cuid\nt_outside,cu_outside\n'

/** Makes the request with these ids. A header that makes a change conditional names a version that never exists. */
export function makeRequest(route: OutsideRoute, ids: Ids, query: Record<string, string> = {}): OutsideRequest {
  const idOf = (parameter: Parameter): string => ids[kindOf(route, parameter)] ?? String(parameter.example ?? 'unknown')
  const params = route.parameters.filter(({ in: where }) => where === 'path')
  let path = route.path
  for (const parameter of params) path = path.replace(`{${parameter.name}}`, encodeURIComponent(idOf(parameter)))
  const search = new URLSearchParams(query)
  for (const parameter of route.parameters) {
    if (parameter.in !== 'query' || search.has(parameter.name)) continue
    if (parameter.required || (NAMES_A_THING.test(parameter.name) && kindOf(route, parameter) in ids)) {
      search.set(parameter.name, idOf(parameter))
    }
  }
  const headers: Record<string, string> = { 'x-api-version': '1' }
  if (route.parameters.some(({ name, in: where }) => where === 'header' && name === 'If-Match')) {
    headers['if-match'] = '"no-version"'
  }
  const url = search.size === 0 ? path : `${path}?${search}`
  if (route.body === undefined) return { method: route.method, url, headers }
  headers['content-type'] = route.body.type
  return { method: route.method, url, headers, payload: payloadOf(route, ids) }
}

function payloadOf(route: OutsideRoute, ids: Ids): string | Buffer {
  const { type, example } = route.body!
  if (type.startsWith('image/')) return jpeg(400, 400)
  if (type === 'application/json') return JSON.stringify(fillBody(route, ids))
  return typeof example === 'string' ? example : LIST_OF_CONVERSATIONS
}

/** Members of bodies that name an object of the tenant, if their name differs from that in paths. */
const BODY_KINDS: Record<string, string> = {
  mediumId: 'channelId',
  media: 'mediaUrl',
  platformId: 'platformId',
  accessToken: 'accessToken',
  mail: 'mail',
}

function fillBody(route: OutsideRoute, ids: Ids): unknown {
  const { example, properties } = route.body!
  const body = fillValue(example, ids) as Record<string, unknown>
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body
  // The caller may choose the id of a new object.
  const own = /\/(\w[\w-]*)$/.exec(route.path)?.[1]
  const kind = own === 'workspaces' ? 'workspaceId' : own === 'ad-accounts' ? 'adAccountId' : undefined
  if (kind !== undefined && properties.includes('id')) body.id = ids[kind]
  // The platform is not asked about a token.
  if (!properties.includes('check')) delete body.accessToken
  else if ('accessToken' in body) body.check = false
  return body
}

function fillValue(value: unknown, ids: Ids, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => fillValue(each, ids, name))
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([key, member]): [string, unknown] => [
      /^(FB_PAGE|INSTAGRAM_ACCOUNT)_\d+$/.test(key) ? ids.channelId! : key,
      fillValue(member, ids, key),
    ])
    return Object.fromEntries(entries)
  }
  const kind = BODY_KINDS[name] ?? (NAMES_A_THING.test(name) ? name : undefined)
  return typeof value === 'string' && kind !== undefined ? (ids[kind] ?? value) : value
}
