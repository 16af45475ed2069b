import { listPages, parseInstant, requireId, requireText } from '../graph/reading.js'
import { toNormalForm } from '../interface/normal-form.js'
import type { WaitReason } from '../interface/post-waits.js'
import type { ChannelTarget } from './target.js'

/** A publication, as the platform shows it. */
export interface Published {
  id: string
  permalink?: string
}

/**
 * The instant from which items count, by the platform's clock. The first response shows that clock, so read this after one.
 */
export type Since = () => Date

/** The items on the platform that a call may have published. */
export interface FoundPublished {
  /** It refers to what was prepared for the call. */
  exact?: Published
  /** Items with the text of the call. */
  sameText: Published[]
}

export interface Processing<Status> {
  status: Status
  /** The platform's own text for ERROR, if it sent one. */
  reason?: string
}

/** The content of a publication, and the page or account it goes to. */
export interface Publishing {
  target: ChannelTarget
  mediaType: MediaType
  mediaUrl: string
  /** Videos have none. */
  altText?: string | undefined
  /** Pages do not accept this declaration. */
  aiGenerated: boolean
  caption: string
}

export type MediaType = 'IMAGE' | 'VIDEO'

/** It cannot succeed now: try again, after `waitMs` if that is known. */
interface NotYet {
  is: 'not-yet'
  reason: string
  /** `processing` if omitted. */
  wait?: WaitReason
  waitMs?: number
}

/** It cannot succeed, now or later. */
interface Never {
  is: 'never'
  reason: string
}

/** The platform failed to process the media; preparing them again may succeed. */
interface MediaFailure {
  is: 'media-failure'
  reason: string
}

/** The result of searching for a post whose call got no response. */
export interface Found extends FoundPublished {
  is: 'found'
  /** True if the platform says that it is published, whether or not it lists it. */
  isOut: boolean
}

/**
 * Publishes one kind of post on one kind of channel. Only `publish` publishes; the other calls may be repeated. All throw
 * GraphErrors.
 */
export interface PublishAdapter {
  /** Makes what `publish` needs and returns its id. Omitted if nothing is needed. */
  prepare?(publishing: Publishing): Promise<{ is: 'prepared'; id: string } | NotYet>
  /**
   * Returns whether the prepared object may be published now. It may need preparing again (`stale`), or may be published
   * although the platform refused to publish it (`out`). `unseen` means that the platform does not show it, so only the call
   * that publishes can find out. Omitted if the platform cannot be asked. `isFresh` means that it was prepared a moment ago.
   */
  check?(
    publishing: Publishing,
    preparedId: string,
    isFresh: boolean,
  ): Promise<
    { is: 'ready' } | { is: 'unseen' } | { is: 'out' } | { is: 'stale'; reason: string } | MediaFailure | NotYet | Never
  >
  publish(publishing: Publishing, preparedId: string): Promise<{ id: string }>
  /** Searches for what a `publish` without a response may have published since then. */
  find(publishing: Publishing, preparedId: string, since: Since): Promise<Found | Never>
  /** Checks whether the publication is processed. Omitted if the platform's response to `publish` is final. */
  follow?(publishing: Publishing, id: string): Promise<{ is: 'out' } | NotYet | Never>
}

// Shared by the adapters of all networks.

export const toFound = (items: FoundPublished): Found => ({ is: 'found', isOut: false, ...items })

export const orNoReason = (reason: string | undefined): string => reason || 'it gives no reason.'

const LIST_LIMIT = 100
/** Far more than a channel publishes while the outcome of a call is unknown. */
const LIST_PAGES_MAX = 20
const REASON_CHARS_MAX = 500

/** Reads a newest-first list of the target, down to `since`. */
export async function listSince(
  { graph, platformId, access }: ChannelTarget,
  { edge, fields, timeField, since }: { edge: string; fields: string; timeField: string; since: Since },
): Promise<Record<string, unknown>[]> {
  const list = { path: `/${requireId(platformId)}/${edge}`, params: { fields, limit: String(LIST_LIMIT) } }
  const found: Record<string, unknown>[] = []
  for await (const page of listPages(graph, access, { ...list, pagesMax: LIST_PAGES_MAX })) {
    // The platform's instants have whole seconds.
    const sinceMs = Math.floor(since().getTime() / 1000) * 1000
    const recent = page.filter((item) => parseInstant(item[timeField]) >= sinceMs)
    found.push(...recent)
    // Some lists ignore `since`.
    if (page.length > 0 && recent.length === 0) break
  }
  return found
}

/** Returns the items with this text in the field. */
export const publishedWith = (field: string, text: string, items: Record<string, unknown>[]): Published[] =>
  items.filter((item) => isSameText(item[field], text)).map(toPublished)

const isSameText = (a: unknown, b: string): boolean => typeof a === 'string' && plainText(a) === plainText(b)

/**
 * Returns a text as the platform may show it: the platform trims texts, may collapse spaces, and drops the @ of a mention.
 */
export const plainText = (text: string): string =>
  toNormalForm(text, 'NFC').replaceAll('@', '').replace(/\s+/g, ' ').trim()

export function toPublished(item: Record<string, unknown>): Published {
  const permalink = toPermalink(item.permalink_url ?? item.permalink)
  return { ...toId(item), ...(permalink === undefined ? {} : { permalink }) }
}

export const toId = (answer: Record<string, unknown>): { id: string } => ({
  id: requireText(answer.id, /^\d{1,32}(_\d{1,32})?$/, 'an id'),
})

/** Makes the URL absolute: the platform sends the URLs of videos without a host. */
export function toPermalink(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value, PERMALINK_BASE)) return undefined
  const url = new URL(value, PERMALINK_BASE)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
}
const PERMALINK_BASE = 'https://www.facebook.com'

export const toReason = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, REASON_CHARS_MAX) : undefined
