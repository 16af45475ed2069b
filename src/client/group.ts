import { type AnswerOf, type InputOf, readRoute } from '../interface/calls.js'
import type { ScheduledPost } from '../interface/posts.js'
import { flatten, walkPages } from './pages.js'
import type { Answered, Call, RequestOptions, Transport } from './transport.js'

/** The largest page of whole rows (interface 8). */
export const PAGE_ROWS_MAX = 200

/** A client of several groups. */
export abstract class Client {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  protected group<Kind>(Kind: new (transport: Transport) => Kind): Kind {
    return new Kind(this.#transport)
  }
}

/** The part of a call that no route tells. */
type Special = Pick<Call, 'upload' | 'headers' | 'patience' | 'isIdempotent'>

/** The methods of one resource. */
export class Group<Routes extends Record<string, string>> {
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

  /** A change of a post, whose answer has the new version. */
  protected async change<Id extends keyof Routes & string>(
    operation: Id,
    input: InputOf<Routes[Id], Id>,
    { ifMatch, ...options }: ChangeOptions = {},
  ): Promise<VersionedPost> {
    return versioned(await this.send(operation, input, options, { headers: { 'if-match': ifMatch } }))
  }

  /** Every page of a list, from the `after` of its query on. */
  protected pagesOf<Id extends keyof Routes & string>(
    operation: Id,
    input: InputOf<Routes[Id], Id> & { query?: { after?: string | undefined } | undefined },
    options?: RequestOptions,
  ): AsyncGenerator<AnswerOf<Id>, void, undefined> {
    const read = (after: string | undefined) =>
      this.call(operation, { ...input, query: { ...input.query, after } }, options)
    const next = (page: AnswerOf<Id>) => (page as Page).nextCursor
    return walkPages({ operation, start: input.query?.after, read, next })
  }

  /** Every item of these pages. */
  protected itemsOf<Id extends keyof Routes & string>(
    ...given: Parameters<typeof this.pagesOf<Id>>
  ): AsyncGenerator<ItemOf<AnswerOf<Id>>, void, undefined> {
    return flatten(this.pagesOf(...given), (page) => (page as Page).items as ItemOf<AnswerOf<Id>>[])
  }
}

interface Page {
  items: unknown[]
  nextCursor: string | null
}

type ItemOf<Answer> = Answer extends { items: (infer Item)[] } ? Item : never

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
