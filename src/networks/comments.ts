import type { GraphAccess } from '../graph/graph-call.js'
import { GraphError } from '../graph/graph-error.js'
import { nonsense, parseInstant, readData, readNextAfter, requireObjectId, requireText } from '../graph/reading.js'
import { toRecord } from '../lib/json.js'
import type { ChannelTarget } from './target.js'

/** A comment or a reply, as the platform lists it. */
export interface PlatformComment {
  id: string
  objectId: string
  /** The comment it replies to; null for a comment on the post itself. */
  parentId: string | null
  /** Null if the platform does not say who wrote it. */
  personId: string | null
  /** Only on Facebook. */
  personName: string | null
  /** Only on Instagram, without the @. */
  username: string | null
  text: string | null
  atMs: number
}

/** The comments to list. */
export interface ListedComments {
  objectId: string
  /** Milliseconds; null for all. */
  sinceMs: number | null
  pagesMax: number
}

const TEXT_CHARS_MAX = 10_000
const NAME_CHARS_MAX = 200
export const OBJECT_ID = /^\d{1,32}(_\d{1,32})?$/

// These calls yield to publishing: when little of the platform's quota is left, they fail as rate-limited without being
// made.

/** Yields the pages of a newest-first list, without comments from before `sinceMs`. `parse` reads an item of the list. */
export async function* listCommentPages(
  target: ChannelTarget,
  { objectId, sinceMs: since, pagesMax }: ListedComments,
  { params, parse }: { params: Record<string, string>; parse(item: Record<string, unknown>): PlatformComment[] },
): AsyncGenerator<PlatformComment[]> {
  const sinceMs = (toSeconds(since) ?? 0) * 1000
  const path = `/${requireObjectId(objectId)}/comments`
  let after: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const answer = await read(target, path, { ...params, ...(after === undefined ? {} : { after }) })
    const listed = readData(answer)
    const comments = listed.flatMap(parse)
    yield comments.filter(({ atMs }) => atMs >= sinceMs)
    after = readNextAfter(answer, after)
    const isOld = listed.length > 0 && comments.every(({ atMs }) => atMs < sinceMs)
    if (after === undefined || isOld) return
  }
}

/** The platform's instants have whole seconds. */
export const toSeconds = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1000))

/** Posts a reply to a comment on this edge. */
export async function postReply(
  target: ChannelTarget,
  edge: 'comments' | 'replies',
  { commentId, text }: { commentId: string; text: string },
): Promise<{ id: string }> {
  // Without the edge, a POST would edit the customer's comment.
  const answer = await post(target, `/${requireObjectId(commentId)}/${edge}`, { message: text })
  const id = requireText(answer.id, OBJECT_ID, 'an id')
  if (id === commentId) throw nonsense('the id of the comment instead of the id of the reply')
  return { id }
}

/** Posts a like to this path. */
export async function postLike(target: ChannelTarget, path: string, params: Record<string, string>): Promise<void> {
  const answer = await post(target, path, params)
  if (answer.success !== true) throw nonsense('something other than success')
}

export const yielding = ({ access }: ChannelTarget): GraphAccess => ({ ...access, yields: true })

/** Reads never have an effect, so every failure of one counts as refused. */
export async function read(
  target: ChannelTarget,
  path: string,
  params: Record<string, string>,
): Promise<Record<string, unknown>> {
  try {
    return await target.graph.get(path, params, yielding(target))
  } catch (error) {
    if (!(error instanceof GraphError) || error.outcome === 'refused') throw error
    const { kind, message, userText, status, code, subcode, fbtraceId, retryAfterSeconds } = error
    const details = { userText, status, code, subcode, fbtraceId, retryAfterSeconds }
    throw new GraphError(kind, message, { ...details, outcome: 'refused', cause: error })
  }
}

export const post = (
  target: ChannelTarget,
  path: string,
  params: Record<string, unknown>,
  access = yielding(target),
): Promise<Record<string, unknown>> => target.graph.post(path, params, access)

export function toComment(item: Record<string, unknown>, objectId: string, nestedIn: string | null): PlatformComment {
  const from = toRecord(item.from)
  const parentId = toRecord(item.parent)?.id ?? item.parent_id ?? nestedIn
  return {
    id: requireText(item.id, OBJECT_ID, 'the id of a comment'),
    objectId,
    parentId: parentId === null ? null : requireText(parentId, OBJECT_ID, 'the id of a parent'),
    personId: typeof from?.id === 'string' && OBJECT_ID.test(from.id) ? from.id : null,
    personName: toText(from?.name, NAME_CHARS_MAX),
    username: toText(from?.username ?? item.username, NAME_CHARS_MAX),
    text: toText(item.message ?? item.text, TEXT_CHARS_MAX),
    atMs: parseInstant(item.created_time ?? item.timestamp),
  }
}

/** A text that the database can store. */
const toText = (value: unknown, charsMax: number): string | null =>
  typeof value === 'string' ? value.replaceAll('\0', '').slice(0, charsMax).toWellFormed() : null
