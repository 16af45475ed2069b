import type { ChannelType } from '../interface/generated/types.js'
import { toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import { GraphError } from './graph-error.js'
import { loginOf } from './login.js'
import { nonsense, parseInstant, readData, readNextAfter, requireId, requireObjectId, requireText } from './reading.js'
import { type ReplyMessage, toPlatformMessage } from './reply-message.js'
import { type ChannelTarget, messagingPath } from './target.js'

export { classifyEffectFailure, type EffectFailure } from './effect-failure.js'
export type { ReplyMessage } from './reply-message.js'

/** A comment, or a reply to one, as the platform lists it. */
export interface GraphComment {
  id: string
  objectId: string
  /** The comment that it replies to; null for a comment on the post itself. */
  parentId: string | null
  /** Null where the platform does not tell who wrote it. */
  personId: string | null
  /** Facebook's. */
  personName: string | null
  /** Instagram's, without @. */
  username: string | null
  text: string | null
  atMs: number
}

const FACEBOOK_LIMIT = 100
/** The platform's maximum. */
const INSTAGRAM_LIMIT = 50
const TEXT_CHARS_MAX = 10_000
const NAME_CHARS_MAX = 200

// Every function throws a GraphError. The calls yield to publishing: where little of the platform's quota is left they fail
// as rate-limited without being made. None of those that send may be repeated unless `classifyEffectFailure` says `wait`.

/**
 * Pages of comments of a post or medium, newest first, replies included, until those before `since` (ms) or pagesMax. One
 * given page = one array, which may be empty. Instagram lists comments by their own time and has no filter by it: a new
 * reply to an older comment is given only where that comment is on a page that is read.
 */
export async function* listComments(
  target: ChannelTarget,
  what: { type: ChannelType; objectId: string; sinceMs: number | null; pagesMax: number },
): AsyncGenerator<GraphComment[]> {
  const { type, objectId, pagesMax } = what
  // The platform's instants are of whole seconds.
  const sinceSeconds = what.sinceMs === null ? null : Math.floor(what.sinceMs / 1000)
  const sinceMs = (sinceSeconds ?? 0) * 1000
  const params = type === 'FB_PAGE' ? facebookList(sinceSeconds) : INSTAGRAM_LIST
  const path = `/${requireObjectId(objectId)}/comments`
  let after: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const answer = await read(target, path, { ...params, ...(after === undefined ? {} : { after }) })
    const listed = readData(answer)
    const comments = listed.flatMap((item) => withReplies(item, objectId))
    yield comments.filter(({ atMs }) => atMs >= sinceMs)
    after = readNextAfter(answer, after)
    const isOld = listed.length > 0 && comments.every(({ atMs }) => atMs < sinceMs)
    if (after === undefined || isOld) return
  }
}

/**
 * Facebook videos are published under a video id and commented under a post id: the other id (`<page>_<post>`), or null
 * where there is none, or none yet.
 */
export async function findCommentedId(
  target: ChannelTarget,
  { type, externalId, mediaType }: { type: ChannelType; externalId: string; mediaType: 'IMAGE' | 'VIDEO' },
): Promise<string | null> {
  if (type !== 'FB_PAGE' || mediaType !== 'VIDEO' || externalId.includes('_')) return null
  const { post_id: postId } = await read(target, `/${requireId(externalId)}`, { fields: 'post_id' })
  if (postId === undefined || postId === null) return null
  const id = requireText(postId, OBJECT_ID, 'a post_id')
  return id.includes('_') ? id : `${requireId(target.platformId)}_${id}`
}

/** Facebook only: asked before a private reply. True also where the platform does not say. */
export async function canReplyPrivately(target: ChannelTarget, commentId: string): Promise<boolean> {
  const fields = 'can_reply_privately,private_reply_conversation'
  const answer = await read(target, `/${requireObjectId(commentId)}`, { fields })
  return answer.can_reply_privately !== false && (answer.private_reply_conversation ?? null) === null
}

/**
 * The one private message that the platform allows for a comment, within 7 days. `recipientId` is the id of the commenter's
 * conversation.
 */
export async function sendPrivateReply(
  target: ChannelTarget,
  { type, commentId, message }: { type: ChannelType; commentId: string; message: ReplyMessage },
): Promise<{ id: string; recipientId: string | null }> {
  return await postMessage(target, {
    recipient: { comment_id: requireObjectId(commentId) },
    message: toPlatformMessage(type, message),
  })
}

/** A message to a person who wrote within 24 h. */
export async function sendMessage(
  target: ChannelTarget,
  { recipientId, message }: { recipientId: string; message: ReplyMessage },
): Promise<{ id: string; recipientId: string | null }> {
  return await postMessage(target, {
    recipient: { id: requireId(recipientId) },
    ...(target.type === 'FB_PAGE' && { messaging_type: 'RESPONSE' }),
    message: toPlatformMessage(target.type, message),
  })
}

/** A reply beneath the comment; on Instagram only beneath one that is no reply itself. */
export async function sendPublicReply(
  target: ChannelTarget,
  { type, commentId, text }: { type: ChannelType; commentId: string; text: string },
): Promise<{ id: string }> {
  // Without the edge a POST would edit the customer's comment.
  const edge = type === 'FB_PAGE' ? 'comments' : 'replies'
  const answer = await post(target, `/${requireObjectId(commentId)}/${edge}`, { message: text })
  const id = requireText(answer.id, OBJECT_ID, 'an id')
  if (id === commentId) throw nonsense('the id of the comment in place of that of the reply')
  return { id }
}

const NO_LIKES = 'Likes are not available with Instagram login: connect the account by Facebook login for them.'

/** A repeat changes nothing. */
export async function likeComment(
  target: ChannelTarget,
  { type, commentId }: { type: ChannelType; commentId: string },
): Promise<void> {
  const id = requireObjectId(commentId)
  if (loginOf(target.access.accessToken) === 'instagram') {
    throw new GraphError('invalid', `not called: ${NO_LIKES}`, { outcome: 'refused', userText: NO_LIKES })
  }
  const answer =
    type === 'FB_PAGE'
      ? await post(target, `/${id}/likes`, {})
      : await post(target, `/${requireId(target.platformId)}/likes`, { comment_id: id })
  if (answer.success !== true) throw nonsense('something else in place of success')
}

// The calls.

const OBJECT_ID = /^\d{1,32}(_\d{1,32})?$/
const MESSAGE_ID = /^[\x21-\x7e]{1,512}$/

const yielding = ({ access }: ChannelTarget): GraphAccess => ({ ...access, yields: true })

/** Nothing is sent by asking: however it failed, it is certain that nothing was carried out. */
async function read(
  target: ChannelTarget,
  path: string,
  params: Record<string, string>,
): Promise<Record<string, unknown>> {
  try {
    return await target.graph.get(path, params, yielding(target))
  } catch (error) {
    if (!(error instanceof GraphError) || error.outcome === 'refused') throw error
    const { kind, message, userText, status, code, subcode, fbtraceId, retryAfterSeconds } = error
    const said = { userText, status, code, subcode, fbtraceId, retryAfterSeconds }
    throw new GraphError(kind, message, { ...said, outcome: 'refused', cause: error })
  }
}

const post = (
  target: ChannelTarget,
  path: string,
  params: Record<string, unknown>,
  access = yielding(target),
): Promise<Record<string, unknown>> => target.graph.post(path, params, access)

/** Messages that go through a page have a quota of their own, which the platform counts for the page. */
function messagingAccess(target: ChannelTarget): GraphAccess {
  const access = yielding(target)
  if (loginOf(access.accessToken) === 'instagram') return access
  return { ...access, limitKey: target.pageId ?? target.platformId, useCase: 'messenger' }
}

async function postMessage(
  target: ChannelTarget,
  params: Record<string, unknown>,
): Promise<{ id: string; recipientId: string | null }> {
  const answer = await post(target, `${messagingPath(target)}/messages`, params, messagingAccess(target))
  const { recipient_id: recipientId } = answer
  return {
    id: requireText(answer.message_id, MESSAGE_ID, 'a message_id'),
    recipientId: typeof recipientId === 'string' && /^\d{1,32}$/.test(recipientId) ? recipientId : null,
  }
}

// Reading the lists.

const facebookList = (sinceSeconds: number | null): Record<string, string> => ({
  fields: 'id,message,from{id,name},created_time,parent{id}',
  filter: 'stream',
  order: 'reverse_chronological',
  limit: String(FACEBOOK_LIMIT),
  ...(sinceSeconds === null ? {} : { since: String(sinceSeconds) }),
})

const INSTAGRAM_FIELDS = 'id,text,username,from{id,username},timestamp,parent_id'
const INSTAGRAM_LIST = {
  fields: `${INSTAGRAM_FIELDS},replies.limit(${INSTAGRAM_LIMIT}){${INSTAGRAM_FIELDS}}`,
  limit: String(INSTAGRAM_LIMIT),
}

/** A comment and, where the platform nests them, its replies, newest first. */
function withReplies(item: Record<string, unknown>, objectId: string): GraphComment[] {
  const comment = toComment(item, objectId, null)
  const nested = toRecord(item.replies)
  const replies = nested === undefined ? [] : readData(nested).map((reply) => toComment(reply, objectId, comment.id))
  return [comment, ...replies].toSorted((a, b) => b.atMs - a.atMs)
}

function toComment(item: Record<string, unknown>, objectId: string, nestedIn: string | null): GraphComment {
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

/** As the database can hold it. */
const toText = (value: unknown, charsMax: number): string | null =>
  typeof value === 'string' ? value.replaceAll('\0', '').slice(0, charsMax).toWellFormed() : null
