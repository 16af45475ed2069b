import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ObjectSchema, Schema } from 'joi'
import type { Caller } from '../access/authenticate.js'
import type { Ready } from '../lib/ready.js'
import type { Meter } from '../observability/meter.js'
import type { Context } from './context.js'

/** One request as an operation sees it: validated and typed. */
export interface Call<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  headers: IncomingHttpHeaders
  meter: Meter
}

/** A call made with an API key. */
export type ApiCall<Params = unknown, Query = unknown, Body = unknown> = Call<Params, Query, Body> & Caller

export interface Answer {
  status: number
  /** A Buffer goes out as it is, with the content type among `headers`; anything else as JSON. */
  body: unknown
  headers?: Record<string, string>
}

interface Shape<Params, Query, Body> {
  /** The operation's one name: file, OpenAPI operationId, client method. */
  operationId: string
  /** One sentence for the reader of the API. */
  summary: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As in OpenAPI: `/scheduled-posts/{scheduledPostId}`. */
  path: string
  /** The statuses the operation may answer, besides 413, 415, 429 and 5xx. */
  answers: readonly number[]
  params?: ObjectSchema<Params>
  query?: ObjectSchema<Query>
  body?: ObjectSchema<Body>
  /** What each header is for that the operation itself reads. */
  headers?: Readonly<Record<string, string>>
  /** Content types whose body the operation reads itself, as a stream of any size. */
  streams?: readonly string[]
  /** The body of a success; an operation without one refuses every caller. */
  success?: Schema
}

/** An operation of the interface, called with an API key. */
export interface ApiOperation<Params = unknown, Query = unknown, Body = unknown> extends Shape<Params, Query, Body> {
  handle(call: ApiCall<Params, Query, Body>, context: Context): Ready<Answer>
}

/** An operation of the operator's side. */
export interface OperatorOperation<Params = unknown, Query = unknown, Body = unknown>
  extends Shape<Params, Query, Body> {
  handle(call: Call<Params, Query, Body>, context: Context): Ready<Answer>
}

// Each definition knows the types of its own input; the lists of operations need not. The schemas make the erasure
// safe: `handle` is only ever called with what they have let through.

export function operation<Params, Query, Body>(definition: ApiOperation<Params, Query, Body>): ApiOperation {
  return definition as unknown as ApiOperation
}

/** `Body` of an operation with `streams` is a `Readable`. */
export function operatorOperation<Params, Query, Body = Readable>(
  definition: OperatorOperation<Params, Query, Body>,
): OperatorOperation {
  return definition as unknown as OperatorOperation
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({ status: 200, body, headers })
export const created = (body: unknown): Answer => ({ status: 201, body })
