import { type AnswerOf, type InputOf, readRoute, type TypesOf } from '../interface/calls.js'
import type { ScheduledPost } from '../interface/generated/types.js'
import { flatten, nextPlace, type Place } from './pages.js'
import { newIdempotencyKey } from './runtime.js'
import type { Answered, Patience, RequestOptions, Transport, Upload } from './transport.js'

export interface ChangeOptions extends RequestOptions {
  /** The `etag` of the post as it was read: rejects with PreconditionFailedError when the post has changed since. */
  ifMatch?: string | undefined
}

export interface CreateOptions extends RequestOptions {
  /** Your own key, so that your own repeats create nothing either. By default the client generates one for its retries. */
  idempotencyKey?: string | undefined
}

/** A post with its version, as the calls for a single post answer. */
export type VersionedPost = Versioned<ScheduledPost>

type Versioned<Answer> = Answer extends ScheduledPost
  ? Answer & {
      /**
       * The version of the post, for `ifMatch`. Not enumerable: JSON, copies and comparisons hold what the server sent and
       * nothing else. Undefined when the server sends none.
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

/** The input of a call, which may be left out where nothing in it is required, and its options. */
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

/** Bytes take as long as there are many of them; the embedded database is copied before a backup of it begins. */
const UNHURRIED: Patience = { headMs: Number.POSITIVE_INFINITY, partMs: 300_000 }

/** Calls the operations of a surface, as its routes say. */
export abstract class Client<Routes extends Record<string, string>> {
  readonly #transport: Transport
  readonly #routes: Routes
  readonly #pageRows: number | undefined

  /** `pageRows`: the size of the pages of a walk that is given none. */
  constructor(transport: Transport, routes: Routes, pageRows: number | undefined) {
    this.#transport = transport
    this.#routes = routes
    this.#pageRows = pageRows
  }

  /**
   * Calls an operation with the parameters of its path by name, its `query` and its `body`. Resolves with the body of the
   * answer, or for an export or a backup with its bytes as they arrive.
   */
  async call<Id extends keyof Routes & string>(operation: Id, ...given: Given<Routes, Id>): Promise<AnswerTo<Id>> {
    const { body, headers } = await this.#send(operation, ...(given as Sent))
    if (!Array.isArray(body)) Object.defineProperty(body, 'etag', { value: headers.get('etag') ?? undefined })
    return body as AnswerTo<Id>
  }

  /**
   * Walks over every page of a list, from the `after` or `offset` of its query on, in pages of the largest size unless a
   * `limit` is given.
   */
  async *pages<Id extends keyof Routes & string>(
    operation: Id,
    ...given: Given<Routes, Id>
  ): AsyncGenerator<AnswerOf<Id>, void, undefined> {
    const [{ query = {}, ...input } = {}, options] = given as Sent
    const { after, offset, ...filter } = query
    const { names } = readRoute(this.#routes[operation]!, input)
    // The largest compact page is the one that a server makes by default.
    const isFull = query.compact === undefined || String(query.compact) === 'false'
    if (isFull && names.includes('limit')) filter.limit ??= this.#pageRows
    for (let place: Place | undefined = after === undefined ? { offset } : { after }; place !== undefined; ) {
      const answered = await this.#send(operation, { ...input, query: { ...filter, ...place } }, options)
      const { body } = answered
      if (!Array.isArray(body) || body.length > 0) yield body as AnswerOf<Id>
      place = nextPlace({ ...answered, operation, names, place })
    }
  }

  /** Walks over every item of these pages. */
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
        // A stream is read once.
        ...(isUpload ? { isIdempotent: false } : isOnce && { isIdempotent: true }),
        ...((isUpload || (shape === 'stream' && method === 'POST')) && { patience: UNHURRIED }),
      },
      others,
    )
  }

  /** Makes the method of an operation, which takes the parameters of its path and then its body or query as arguments. */
  protected method<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Listed<Routes, Id>): Promise<AnswerTo<Id>> =>
      this.call(operation, ...this.#name(operation, given))
  }

  /** Makes the method that walks over the pages of an operation. */
  protected walk<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Listed<Routes, Id>): AsyncGenerator<AnswerOf<Id>, void, undefined> =>
      this.pages(operation, ...this.#name(operation, given))
  }

  /** The same for every item of these pages. */
  protected walkItems<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Listed<Routes, Id>): AsyncGenerator<ItemOf<Id>, void, undefined> =>
      this.items(operation, ...this.#name(operation, given))
  }

  /** Names the arguments of a method as its route does. */
  #name<Id extends keyof Routes & string>(operation: Id, given: readonly unknown[]): Given<Routes, Id> {
    const route = this.#routes[operation]!
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const content = / json\b/.test(route) ? 'body' : route.includes('?') ? 'query' : undefined
    if (content !== undefined) names.push(content)
    return [Object.fromEntries(names.map((name, at) => [name, given[at]])), given[names.length]] as Given<Routes, Id>
  }
}

/** The parameters of the paths of /v1, each as an argument that has its name. */
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

/** The same input as arguments. */
type Listed<Routes, Id extends keyof Routes> = [
  ...ParamsOf<Routes[Id]>,
  ...ContentOf<TypesOf<Id>>,
  options?: OptionsOf<Routes[Id]>,
]
