import { BadRequest } from './answers.js'
import type { Field } from './fields.js'
import type { Clock } from './lib/clock.js'
import { DAY_MS } from './lib/dates.js'
import type { RecordedRequest } from './route.js'

/** A publication on a page or an Instagram account. */
export interface SandboxPublication {
  /** The platform's id: `<page>_<post>`, or digits for videos and for Instagram. */
  id: string
  pageId: string
  /** The message, description or caption. */
  text: string
  mediaType: 'IMAGE' | 'VIDEO' | undefined
  mediaUrl: string | undefined
  /** Undefined if none was sent with the picture. */
  altText?: string | undefined
  /** True if its author declares that AI made it. */
  isAiGenerated?: true | undefined
  /** Milliseconds since the epoch. */
  publishedAt: number
  permalink: string
  /**
   * How often the call that published it was received, whatever the response. A number above 1 means that publishing was
   * repeated.
   */
  received: number
}

/** A publication with the name of the call that published it. */
export type StoredPublication = Omit<SandboxPublication, 'received'> & { call: string }

/** The processing state of a video or container. */
export interface Processed {
  /** Polls left until it is ready. */
  polls: number
  error: string | undefined
}

export type Params = Record<string, unknown>

/** Everything that the sandbox's pages and accounts have published, and how often each call was received. */
export class Publications {
  /** The processing state of each video by id. */
  readonly videos = new Map<string, Processed>()
  /** The post of each video, which carries its comments. */
  readonly #postIds = new Map<string, string>()
  readonly #stored: StoredPublication[] = []
  readonly #byId = new Map<string, StoredPublication>()
  readonly #received = new Map<string, number>()
  readonly #startedAt: number
  #lastId = 0

  constructor(
    readonly clock: Clock,
    readonly url: string,
  ) {
    this.#startedAt = clock.now()
  }

  /** Returns an id that differs from those of earlier starts, which a database may still contain. */
  newId(prefix: string): string {
    return `${prefix}${this.#startedAt}${String(++this.#lastId).padStart(5, '0')}`
  }

  add(
    pageId: string,
    id: string,
    publication: Pick<StoredPublication, 'text' | 'mediaType' | 'mediaUrl' | 'altText' | 'isAiGenerated' | 'call'>,
  ): void {
    const publishedAt = this.clock.now()
    const item = { id, pageId, publishedAt, permalink: `${this.url}/pages/${pageId}#${id}`, ...publication }
    this.#stored.push(item)
    this.#byId.set(id, item)
    if (!this.videos.has(id)) return
    // A video is also a post of the feed, under another id.
    const postId = `${pageId}_${this.newId('12')}`
    this.#postIds.set(id, postId)
    this.#byId.set(postId, item)
  }

  /** `<page>_<post>`; undefined if the id is not of a page's video. */
  postIdOfVideo(id: string): string | undefined {
    return this.#postIds.get(id)
  }

  find(id: string): StoredPublication | undefined {
    return this.#byId.get(id)
  }

  /** The visible publications, oldest first. */
  visible(): StoredPublication[] {
    return this.#stored.filter(({ id }) => this.videos.get(id)?.error === undefined)
  }

  /** Counts the publications of a page in the last 24 hours. */
  countOfDay(page: { id: string }): number {
    const since = this.clock.now() - DAY_MS
    return this.#stored.filter(({ pageId, publishedAt }) => pageId === page.id && publishedAt > since).length
  }

  /** Counts a request that may publish. */
  receive(request: RecordedRequest): void {
    const call = publishingCall(request)
    if (call !== undefined) this.#received.set(call, (this.#received.get(call) ?? 0) + 1)
  }

  timesReceived(call: string): number {
    return this.#received.get(call) ?? 0
  }
}

// A publishing call is named after what it publishes: the same name again is a repeat.

function publishingCall({ method, path, query, body }: RecordedRequest): string | undefined {
  const [, id = '', edge] = /^\/(\d+)\/(feed|photos|videos|media_publish)$/.exec(path) ?? []
  if (method !== 'POST' || edge === undefined) return undefined
  const params: Params = { ...query, ...body }
  if (edge === 'photos') return isPublic(params) ? photosCall(id, params) : undefined
  if (edge === 'feed') return feedCall(id, params)
  return edge === 'videos' ? videosCall(id, params) : containerCall(String(params.creation_id))
}

export const feedCall = (pageId: string, { message, attached_media }: Params): string =>
  JSON.stringify(['feed', pageId, message, attached_media])
export const photosCall = (pageId: string, { url, message, caption }: Params): string =>
  JSON.stringify(['photos', pageId, url, message ?? caption])
export const videosCall = (pageId: string, { file_url, description }: Params): string =>
  JSON.stringify(['videos', pageId, file_url, description])
export const containerCall = (containerId: string): string => JSON.stringify(['media_publish', containerId])

// Parameters and fields.

/** A photo that is not for a post of the feed is itself a post. */
export const isPublic = ({ published }: Params): boolean => String(published) !== 'false'

/** The parameter exists since 2026-06-22; before, the platform ignores it as unknown. */
export function readAiGenerated({ is_ai_generated: value = false }: Params, now: number): true | undefined {
  if (!['true', 'false'].includes(String(value))) throw new BadRequest('Param is_ai_generated must be a boolean')
  return (String(value) === 'true' && now >= AI_GENERATED_SINCE) || undefined
}
const AI_GENERATED_SINCE = Date.parse('2026-06-22')

export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The alt text of a picture; undefined if none is sent. */
export function readAltText(value: unknown): string | undefined {
  const text = readText(value)
  if (lengthOf(text) > ALT_TEXT_CHARS_MAX) {
    throw new BadRequest(`The alt text must be at most ${ALT_TEXT_CHARS_MAX} characters long`)
  }
  return text === '' ? undefined : text
}
const ALT_TEXT_CHARS_MAX = 1_000

export function requireParam(params: Params, name: string): string {
  const value = params[name]
  if (typeof value !== 'string' || value === '') throw new BadRequest(`The parameter ${name} is required`)
  return value
}

/** Counts code points. */
export const lengthOf = (text: string): number => [...text].length

/** Returns the requested values, each computed on demand, and always `id`. */
export function pick(
  type: string | undefined,
  fields: Field[],
  values: Record<string, string | ((field: Field) => unknown)>,
): Params {
  const body: Params = {}
  for (const field of fields) {
    const { name } = field
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) {
      throw new BadRequest(`Tried accessing nonexisting field (${name})${type ? ` on node type (${type})` : ''}`)
    }
    body[name] = typeof value === 'string' ? value : value(field)
  }
  return values.id === undefined ? body : { ...body, id: values.id }
}

/** The sandbox fetches nothing: a URL counts as reachable unless its host ends in `.invalid`. */
export function isReachable(mediaUrl: string): boolean {
  if (!URL.canParse(mediaUrl) || !/^https?:/.test(mediaUrl)) return false
  const { hostname } = new URL(mediaUrl)
  return !hostname.endsWith('.invalid')
}

/** Counts one poll; returns true while the item is still being processed. */
export function pollProcessing(item: Processed): boolean {
  if (item.polls === 0) return false
  item.polls--
  return true
}
