import { type AnswerOf, type InputOf, readRoute, type TypesOf } from '../interface/calls.js'
import type { ScheduledPost } from '../interface/generated/types.js'
import { flatten, nextPlace, type Place } from './pages.js'
import { newIdempotencyKey } from './runtime.js'
import type { Answered, Patience, RequestOptions, Transport, Upload } from './transport.js'

export interface ChangeOptions extends RequestOptions {
  /** The `etag` of the post that was read. The call rejects with PreconditionFailedError if the post has changed since. */
  ifMatch?: string | undefined
}

export interface CreateOptions extends RequestOptions {
  /**
   * Your own key, so that your own repeats also create nothing twice. By default the client generates a key for its retries.
   */
  idempotencyKey?: string | undefined
}

/** A post with its version, as returned by calls for a single post. */
export type VersionedPost = Versioned<ScheduledPost>

type Versioned<Answer> = Answer extends ScheduledPost
  ? Answer & {
      /**
       * The version of the post, for `ifMatch`. It is not enumerable, so JSON, copies and comparisons have only what the
       * server sent. Undefined if the server sends no ETag.
       */
      readonly etag: string | undefined
    }
  : Answer

type Takes<Route, Word extends string> = Route extends `${string} ${Word}` | `${string} ${Word} ${string}`
  ? true
  : false

type OptionsOf<Route> =
  Takes<Route, 'if-match!'> extends true
    ? ChangeOptions & { ifMatch: string }
    : Takes<Route, 'if-match'> extends true
      ? Takes<Route, 'once'> extends true
        ? ChangeOptions & CreateOptions
        : ChangeOptions
      : Takes<Route, 'once'> extends true
        ? CreateOptions
        : RequestOptions

type Types<List> = List extends `${infer First}|${infer Rest}` ? First | Types<Rest> : List

type UploadOf<Route> =
  Takes<Route, 'bytes'> extends true
    ? { body: Upload; contentType?: string }
    : Route extends `${string} bytes=${infer List}`
      ? { body: Upload; contentType: Types<List extends `${infer Only} ${string}` ? Only : List> }
      : unknown

type InputTo<Routes, Id extends keyof Routes> = InputOf<Routes[Id], Id> & UploadOf<Routes[Id]>

/** The input of a call and its options. The input may be omitted if nothing in it is required. */
type Given<Routes, Id extends keyof Routes> =
  Takes<Routes[Id], 'if-match!'> extends true
    ? [input: InputTo<Routes, Id>, options: OptionsOf<Routes[Id]>]
    : Record<never, never> extends InputTo<Routes, Id>
      ? [input?: InputTo<Routes, Id>, options?: OptionsOf<Routes[Id]>]
      : [input: InputTo<Routes, Id>, options?: OptionsOf<Routes[Id]>]

type AnswerTo<Id> = Versioned<AnswerOf<Id>>

type ItemOf<Id> = AnswerOf<Id> extends (infer Item)[] | { items: (infer Item)[] } ? Item : never

interface Input {
  query?: Place & { limit?: number; compact?: unknown }
  body?: unknown
  contentType?: string
}

type Sent = [input?: Input, options?: ChangeOptions & CreateOptions]

/**
 * The time for uploads and downloads depends on their size, and the embedded database is copied before a backup of it
 * starts.
 */
const UNHURRIED: Patience = { headMs: Number.POSITIVE_INFINITY, partMs: 300_000 }

/** Calls the operations of a surface. */
export abstract class Client<Routes extends Record<string, string>> {
  readonly #transport: Transport
  readonly #routes: Routes
  readonly #pageRows: number | undefined

  /** `pageRows` is the page size of walks that are not given one. */
  constructor(transport: Transport, routes: Routes, pageRows: number | undefined) {
    this.#transport = transport
    this.#routes = routes
    this.#pageRows = pageRows
  }

  /**
   * Calls an operation with the parameters of its path, its `query` and its `body`. Resolves with the body of the response;
   * for an export or a backup, with its bytes as they arrive.
   */
  async call<Id extends keyof Routes & string>(operation: Id, ...given: Given<Routes, Id>): Promise<AnswerTo<Id>> {
    const { body, headers } = await this.#send(operation, ...(given as Sent))
    if (!Array.isArray(body)) Object.defineProperty(body, 'etag', { value: headers.get('etag') ?? undefined })
    return body as AnswerTo<Id>
  }

  /**
   * Walks all pages of a list, starting at the `after` or `offset` of the query. Pages have the largest size unless `limit`
   * is given.
   */
  async *pages<Id extends keyof Routes & string>(
    operation: Id,
    ...given: Given<Routes, Id>
  ): AsyncGenerator<AnswerOf<Id>, void, undefined> {
    const [{ query = {}, ...input } = {}, options] = given as Sent
    const { after, offset, ...filter } = query
    const { names } = readRoute(this.#routes[operation]!, input)
    // The default size of a compact page is also the largest.
    const isFull = query.compact === undefined || String(query.compact) === 'false'
    if (isFull && names.includes('limit')) filter.limit ??= this.#pageRows
    for (let place: Place | undefined = after === undefined ? { offset } : { after }; place !== undefined; ) {
      const answered = await this.#send(operation, { ...input, query: { ...filter, ...place } }, options)
      const { body } = answered
      if (!Array.isArray(body) || body.length > 0) yield body as AnswerOf<Id>
      place = nextPlace({ ...answered, operation, names, place })
    }
  }

  /** Walks all items of these pages. */
  items<Id extends keyof Routes & string>(
    operation: Id,
    ...given: Given<Routes, Id>
  ): AsyncGenerator<ItemOf<Id>, void, undefined> {
    type Listed = ItemOf<Id>[] | { items: ItemOf<Id>[] }
    return flatten(this.pages(operation, ...given) as AsyncGenerator<Listed>, (page) =>
      Array.isArray(page) ? page : page.items,
    )
  }

  async #send(operation: string, ...[input = {}, options = {}]: Sent): Promise<Answered> {
    const { method, path, shape, words } = readRoute(this.#routes[operation]!, input)
    const { query, body, contentType = 'application/octet-stream' } = input
    const { ifMatch, idempotencyKey = newIdempotencyKey(), ...others } = options
    const isUpload = words.some((word) => word.startsWith('bytes'))
    const isOnce = words.includes('once')
    const content = isUpload ? { upload: { body: body as Upload, contentType } } : { body: body as object }
    return this.#transport.send(
      {
        ...{ operation, method, path, query, shape, ...content },
        headers: { 'if-match': ifMatch, 'idempotency-key': isOnce ? idempotencyKey : undefined },
        // A stream can be read only once.
        ...(isUpload ? { isIdempotent: false } : isOnce && { isIdempotent: true }),
        ...((isUpload || (shape === 'stream' && method === 'POST')) && { patience: UNHURRIED }),
      },
      others,
    )
  }

  /** Creates the method for an operation. It takes the parameters of the path as arguments, and then the body or query. */
  protected method<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Listed<Routes, Id>): Promise<AnswerTo<Id>> =>
      this.call(operation, ...this.#name(operation, given))
  }

  /** Creates the method that walks the pages of an operation. */
  protected walk<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Listed<Routes, Id>): AsyncGenerator<AnswerOf<Id>, void, undefined> =>
      this.pages(operation, ...this.#name(operation, given))
  }

  /** Creates the method that walks the items of these pages. */
  protected walkItems<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Listed<Routes, Id>): AsyncGenerator<ItemOf<Id>, void, undefined> =>
      this.items(operation, ...this.#name(operation, given))
  }

  /** Gives the arguments of a method the names of its route. */
  #name<Id extends keyof Routes & string>(operation: Id, given: readonly unknown[]): Given<Routes, Id> {
    const route = this.#routes[operation]!
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const content = / json\b/.test(route) ? 'body' : route.includes('?') ? 'query' : undefined
    if (content !== undefined) names.push(content)
    return [Object.fromEntries(names.map((name, at) => [name, given[at]])), given[names.length]] as Given<Routes, Id>
  }
}

/** The parameters in the paths of /v1, as named arguments. */
interface Params {
  adAccountId: [adAccountId: string]
  campaignId: [campaignId: string]
  channelId: [channelId: string]
  scheduledPostId: [scheduledPostId: string]
}

type ParamsOf<Route> = Route extends `${string}{${infer Name extends keyof Params}}${infer Rest}`
  ? [...Params[Name], ...ParamsOf<Rest>]
  : []

type ContentOf<Types> = Types extends { body: infer Body }
  ? [body: Body]
  : Types extends { query: infer Query }
    ? [query: Query]
    : Types extends { query?: infer Query }
      ? [query?: Query]
      : []

/** The same input as a list of arguments. */
type Listed<Routes, Id extends keyof Routes> = [
  ...ParamsOf<Routes[Id]>,
  ...ContentOf<TypesOf<Id>>,
  options?: OptionsOf<Routes[Id]>,
]
