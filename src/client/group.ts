import type { ScheduledPost } from '../interface/posts.js'
import type { Answered, Call, RequestOptions, Transport } from './transport.js'

/** The largest page of whole rows (interface 8). */
export const PAGE_ROWS_MAX = 200

/** The methods of one resource. */
export class Group {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  protected send<Body>(
    operation: string,
    method: Call['method'],
    path: string,
    options?: RequestOptions,
    rest?: Partial<Call>,
  ): Promise<Answered<Body>> {
    return this.#transport.send<Body>({ operation, method, path, ...rest }, options)
  }

  /** The same, but resolves with the body only. */
  protected async call<Body>(
    operation: string,
    method: Call['method'],
    path: string,
    options?: RequestOptions,
    rest?: Partial<Call>,
  ): Promise<Body> {
    return (await this.send<Body>(operation, method, path, options, rest)).body
  }
}

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
export async function versioned(answer: Promise<Answered<ScheduledPost>>): Promise<VersionedPost> {
  const { body, headers } = await answer
  return Object.defineProperty(body, 'etag', { value: headers.get('etag') ?? undefined }) as VersionedPost
}

/** A path with its ids, each as one segment. */
export function path(strings: TemplateStringsArray, ...ids: string[]): string {
  return String.raw({ raw: strings }, ...ids.map(toSegment))
}

function toSegment(id: string): string {
  // These would address another operation.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
  return encodeURIComponent(id)
}
