import { type AnswerOf, type InputOf, readRoute, type TypesOf } from '../interface/calls.js'
import type { ScheduledPost } from '../interface/generated/types.js'
import type { Page } from '../interface/pages.js'
import { flatten, walkPages } from './pages.js'
import type { Answered, Call, RequestOptions, Transport } from './transport.js'

/** The largest page of whole rows (interface 8). */
export const PAGE_ROWS_MAX = 200

/** The part of a call that no route tells. */
type Special = Pick<Call, 'upload' | 'headers' | 'patience' | 'isIdempotent'>

/** A client of a surface: makes its methods of the routes. */
export abstract class Client<Routes extends Record<string, string>> {
  readonly #transport: Transport
  readonly #routes: Routes

  constructor(transport: Transport, routes: Routes) {
    this.#transport = transport
    this.#routes = routes
  }

  protected async send<Id extends keyof Routes & string>(
    operation: Id,
    input: InputOf<Routes[Id], Id>,
    options?: RequestOptions,
    special?: Special,
  ): Promise<Answered<AnswerOf<Id>>> {
    const { query, body } = input as Pick<Call, 'query' | 'body'>
    return this.#transport.send(
      { operation, ...readRoute(this.#routes[operation]!, input), query, body, ...special },
      options,
    )
  }

  /** The same, but resolves with the body only. */
  protected async call<Id extends keyof Routes & string>(
    ...given: [operation: Id, input: InputOf<Routes[Id], Id>, options?: RequestOptions, special?: Special]
  ): Promise<AnswerOf<Id>> {
    return (await this.send(...given)).body
  }

  /** The method of an operation. It resolves with the body. */
  protected method<Id extends keyof Routes & string>(operation: Id) {
    return (...given: Given<Routes, Id>): Promise<AnswerOf<Id>> => {
      const [input, options] = this.#read(operation, given)
      return this.call(operation, input, options)
    }
  }

  /** The same for one post, whose answer has its version. A change may name the version that it is of. */
  protected postMethod<Id extends keyof Routes & string>(operation: Id) {
    type Options = Routes[Id] extends `GET ${string}` ? RequestOptions : ChangeOptions
    return async (...given: Given<Routes, Id, Options>): Promise<VersionedPost> => {
      const [input, { ifMatch, ...options } = {}] = this.#read(operation, given)
      return versioned(await this.send(operation, input, options, { headers: { 'if-match': ifMatch } }))
    }
  }

  /** The same for the items of one page. */
  protected itemsMethod<Id extends keyof Routes & string>(operation: Id) {
    const readPage = this.method(operation)
    return async (...given: Given<Routes, Id>): Promise<ItemOf<Id>[]> => toPage<Id>(await readPage(...given)).items
  }

  /** The method that walks over every page of a list, from the `after` of its query on, in pages of `limit` by default. */
  protected pagesMethod<Id extends keyof Routes & string>(operation: Id, limit?: number) {
    return (...given: Given<Routes, Id>): AsyncGenerator<AnswerOf<Id>, void, undefined> => {
      const [input, options] = this.#read(operation, given)
      const { query = {} } = input as { query?: { limit?: number; after?: string } }
      const read = (after: string | undefined) =>
        this.call(operation, { ...input, query: { ...query, limit: query.limit ?? limit, after } }, options)
      return walkPages({ operation, start: query.after, read, next: (page) => toPage<Id>(page).nextCursor })
    }
  }

  /** The same for every item of these pages. */
  protected allItemsMethod<Id extends keyof Routes & string>(operation: Id, limit?: number) {
    const walk = this.pagesMethod(operation, limit)
    return (...given: Given<Routes, Id>): AsyncGenerator<ItemOf<Id>, void, undefined> =>
      flatten(walk(...given), (page) => toPage<Id>(page).items)
  }

  /** Names the arguments of a method as its route does. */
  #read<Id extends keyof Routes & string>(
    operation: Id,
    given: readonly unknown[],
  ): [input: InputOf<Routes[Id], Id>, options: ChangeOptions | undefined] {
    const route = this.#routes[operation]!
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const content = / json\b/.test(route) ? 'body' : route.includes('?') ? 'query' : undefined
    if (content !== undefined) names.push(content)
    const input = Object.fromEntries(names.map((name, at) => [name, given[at]]))
    return [input as InputOf<Routes[Id], Id>, given[names.length] as ChangeOptions | undefined]
  }
}

/** The ids of the paths, each as an argument that has its name. */
interface Ids {
  adAccountId: [adAccountId: string]
  campaignId: [campaignId: string]
  channelId: [channelId: string]
  conversationId: [conversationId: string]
  creativeTemplateId: [creativeTemplateId: string]
  cuid: [cuid: string]
  deliveryId: [deliveryId: string]
  fromId: [fromId: string]
  id: [id: string]
  invitationId: [invitationId: string]
  keyId: [keyId: string]
  kind: [kind: string]
  mediaId: [mediaId: string]
  messageId: [messageId: string]
  name: [name: string]
  organizationId: [organizationId: string]
  personId: [personId: string]
  problemId: [problemId: string]
  savedTextId: [savedTextId: string]
  scheduledPostId: [scheduledPostId: string]
  segmentId: [segmentId: string]
  seriesId: [seriesId: string]
  sourceId: [sourceId: string]
  tokenId: [tokenId: string]
  webhookId: [webhookId: string]
  workspaceId: [workspaceId: string]
}

type IdsOf<Route> = Route extends `${string}{${infer Name extends keyof Ids}}${infer Rest}`
  ? [...Ids[Name], ...IdsOf<Rest>]
  : Route extends `${string}{${string}`
    ? never
    : []

type ContentOf<Types> = Types extends { body: infer Body }
  ? [body: Body]
  : Types extends { body?: infer Body }
    ? [body?: Body]
    : Types extends { query: infer Query }
      ? [query: Query]
      : Types extends { query?: infer Query }
        ? [query?: Query]
        : []

/** The arguments of an operation's method: the ids of its path, its body or query, then options. */
type Given<Routes, Id extends keyof Routes, Options = RequestOptions> = [
  ...IdsOf<Routes[Id]>,
  ...ContentOf<TypesOf<Id>>,
  options?: Options,
]

type ItemOf<Id> = AnswerOf<Id> extends { items: (infer Item)[] } ? Item : never

const toPage = <Id>(answer: AnswerOf<Id>) => answer as Page<ItemOf<Id>>

export interface ChangeOptions extends RequestOptions {
  /** The `etag` of the post as it was read: rejects with PreconditionFailedError when the post has changed since. */
  ifMatch?: string | undefined
}

/** A post with its version, as the calls for a single post answer. */
export type VersionedPost = ScheduledPost & {
  /**
   * The version of the post, for `ifMatch`. Not enumerable: JSON, copies and comparisons hold what the server sent and
   * nothing else. Undefined when the server sends none.
   */
  readonly etag: string | undefined
}

/** The post of an answer, with its ETag. */
export function versioned({ body, headers }: Answered<unknown>): VersionedPost {
  return Object.defineProperty(body, 'etag', { value: headers.get('etag') ?? undefined }) as VersionedPost
}
