import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import Joi, { type ObjectSchema, type Schema } from 'joi'
import type { Queries } from '../interface/generated/types.js'
import type { Ready } from '../lib/ready.js'
import type { Meter } from '../observability/meter.js'
import type { Context } from './context.js'
import { type Needed, type Permission, type Principal, permissionsOf, type ServerPrincipal } from './principal.js'
import type { Snapshot } from './snapshot.js'

/** The name of a surface, which offers operations (surfaces.ts). */
export type SurfaceName = 'v1' | 'v0' | 'api' | 'review'

/** A validated, typed request as an operation sees it, the same on every surface. */
export interface Call<Params = unknown, Query = unknown, Body = unknown, Caller = Principal> {
  params: Params
  query: Query
  body: Body
  headers: IncomingHttpHeaders
  /** `ip` is the client's address, with TRUST_PROXY applied. It is computed when read, because few operations need it. */
  caller: { readonly ip: string }
  principal: Caller
  snapshot: Snapshot
  meter: Meter
}

export interface Answer {
  status: number
  /** A Buffer or a stream is sent as it is, with the content type among `headers`; anything else is sent as JSON. */
  body: unknown
  /** Several headers with one name, such as Set-Cookie, are an array. */
  headers?: Record<string, string | string[]>
}

/** Headers that only some operations return. */
export const ANSWER_HEADERS = ['etag', 'x-next-cursor'] as const
export type AnswerHeader = (typeof ANSWER_HEADERS)[number]

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type RouteText = `${Method} ${string}`
type NamesIn<Route> = Route extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
/** The parameters of a route: the names in its braces. */
export type ParamsOf<Route> = { [Name in NamesIn<Route>]: string }

interface Shape<Id, Route, Params, Query, Body> {
  /** The operation's name everywhere: OpenAPI operationId and client method. */
  operationId: Id
  /** One sentence for the API documentation. */
  summary: string
  /** When to use it and what it costs, for the API documentation. */
  description: string
  /**
   * The method, and the path below the surface's prefix and organization, as in OpenAPI: `GET
   * /scheduled-posts/{scheduledPostId}`.
   */
  route: Route
  /** The surfaces that offer it; `/api` by default. */
  surfaces?: readonly SurfaceName[]
  /** The permission that the caller must hold, or several of which any one is enough. */
  permission: Needed
  /**
   * How the permission applies to channels, if members can hold it by channel. `checked`: the operation itself requires the
   * permission in every channel it concerns (access/channel-rights.ts). `anywhere`: the operation concerns no channel, and
   * the permission in any one is enough. By default the permission is required in the organization.
   */
  inChannels?: 'checked' | 'anywhere'
  /** Callers with the permission `operator` may also call it for a deleted organization. */
  outlivesOrganization?: boolean
  /**
   * In a session, the person must have proven their identity within the last ten minutes; otherwise the operation returns
   * 403 (confirmation_needed).
   */
  needsConfirmation?: boolean
  /** A rate limit for expensive operations that the whole organization shares, in addition to the limits of its keys. */
  rateLimit?: 'imports' | 'insights'
  /** True if it takes access away, as signing out does, so people may always call it, whatever their rate. */
  isUnlimited?: boolean
  /** The statuses of its responses, 200 by default. Those of its surface, 413, 415, 417, 429 and 5xx are added. */
  answers?: readonly number[]
  /** Needed only if a parameter of the route must not be arbitrary text. */
  params?: ObjectSchema<Params>
  query?: ObjectSchema<Query>
  body?: ObjectSchema<Body>
  /** The largest JSON body, for an operation without credentials that needs more than the default. */
  bodyBytesMax?: number
  /** A missing body counts as an empty object. */
  bodyIsOptional?: boolean
  /** The purpose of each header that the operation itself reads. */
  headers?: Readonly<Record<string, string>>
  /** Content types whose body the operation reads itself, as a stream of any size. */
  streams?: readonly string[]
  /** The body of a success. */
  success: Schema
  /** The body of a success on surfaces where it has more fields. */
  successOn?: Partial<Record<SurfaceName, Schema>>
  /** The content type of a success that is a stream. */
  successType?: string
  /** The headers of a success that a caller acts on. */
  answerHeaders?: readonly AnswerHeader[]
  /** True if only the console's pages call it, so it is left out of the API documents. */
  isInternal?: boolean
}

/** An operation as lists and surfaces see it. `Needs` is the part of the process's context that it uses. */
export interface Operation<Needs = never> extends Omit<Shape<string, string, unknown, unknown, unknown>, 'route'> {
  method: Method
  path: string
  answers: readonly number[]
  surfaces: readonly SurfaceName[]
  scope: 'organization' | 'server'
  handle: (call: Call, context: Needs) => Ready<Answer>
}

// Each definition has the types of its own input, but the lists of operations erase them. The schemas make that safe:
// `handle` is only called with what they accept, and with a principal of the operation's scope.

/** The type of an operation's query: the one that its schema declares, or else the one generated from the schema. */
export type QueryOf<Id, Query> = 0 extends 1 & Query ? (Id extends keyof Queries ? Queries[Id] : unknown) : Query

/** Defines an operation in one organization. With `streams`, `Body` is a `Readable`. */
export function operation<
  const Id extends string,
  const Route extends RouteText,
  Query,
  Body = Readable,
  Needs extends Context = Context,
  Params = ParamsOf<Route>,
>(
  definition: Shape<Id, Route, Params, Query, Body> & {
    handle(call: Call<Params, QueryOf<Id, Query>, Body>, context: Needs): Ready<Answer>
  },
): Operation<Needs> {
  return define(definition, 'organization')
}

/** Defines an operation on the server as a whole, without an organization. */
export function serverOperation<
  const Id extends string,
  const Route extends RouteText,
  Query,
  Body,
  Params = ParamsOf<Route>,
>(
  definition: Shape<Id, Route, Params, Query, Body> & {
    handle(call: Call<Params, QueryOf<Id, Query>, Body, ServerPrincipal>, context: Context): Ready<Answer>
  },
): Operation<Context> {
  return define(definition, 'server')
}

function define<Needs>(
  { route, ...definition }: { route: string; params?: ObjectSchema },
  scope: Operation['scope'],
): Operation<Needs> {
  const [method, path] = route.split(' ')
  return {
    surfaces: ['api'],
    answers: [200],
    params: paramsOf(route),
    ...definition,
    method,
    path,
    scope,
  } as unknown as Operation<Needs>
}

const ID = Joi.string().required()

/** Returns the schema of a route's parameters, if it has any. */
function paramsOf(route: string): ObjectSchema | undefined {
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return names.length === 0 ? undefined : Joi.object(Object.fromEntries(names.map((name) => [name, ID])))
}

/** Permissions that people use only in a browser: to sign in, to manage their own account, and with a review link. */
const INTERNAL_PERMISSIONS: readonly Permission[] = ['sign-in', 'second-factor', 'account', 'review']

/** Returns false if only our own pages call the operation. */
export const isDocumented = ({ isInternal = false, permission }: Operation): boolean =>
  !isInternal && !permissionsOf(permission).every((needed) => INTERNAL_PERMISSIONS.includes(needed))

export const ok = (body: unknown, headers?: Answer['headers']): Answer => ({ status: 200, body, headers })

/** Returns a list as a plain array, and reports the number of its rows to the meter. */
export function okList<Row>(meter: Meter, rows: readonly Row[], toBody: (row: Row) => unknown): Answer {
  meter.rows = rows.length
  return ok(rows.map(toBody))
}

export const created = (body: unknown): Answer => ({ status: 201, body })
