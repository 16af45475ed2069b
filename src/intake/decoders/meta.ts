import { isOptOut } from '../../audience/opt-out.js'
import type { Decode, Decoded, Fact } from '../facts.js'
import { hasOnly } from './shapes.js'
import {
  asList,
  asObject,
  checkDepth,
  type Json,
  parseJson,
  readId,
  readInstant,
  readName,
  reasonOf,
  shown,
  Unreadable,
} from './values.js'

/** The prefix of a channel's id, by the object that a delivery is about. */
const CHANNEL_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['page', 'FB_PAGE'],
  ['instagram', 'INSTAGRAM_ACCOUNT'],
])
/** A request at the address of the data deletion callback. */
const DATA_DELETION = 'data-deletion'
/** The dashboard's test button sends an entry that belongs to no page. */
const TEST_ENTRY = '0'
const TEXT_CHARS_MAX = 10_000

interface Entry {
  channelId: string
  /** The id of the page or account itself. */
  ownId: string
  time: unknown
  receivedAt: number
}

/** Reads a webhook of Meta: messages and comments of pages and Instagram accounts, and requests to delete a user's data. */
export const decodeMeta: Decode = ({ topic, body, receivedAt }) => {
  const decoded: Decoded = { facts: [], problems: [] }
  const attempt = (item: string, read: () => Fact[]): void => {
    try {
      for (const fact of read()) decoded.facts.push({ item, fact })
    } catch (error) {
      decoded.problems.push({ item, reason: reasonOf(error) })
    }
  }
  attempt('', () => {
    const payload = asObject(parseJson(body))
    if (topic === DATA_DELETION) {
      decoded.claim = topic
      return [readDeletion(payload)]
    }
    const type = CHANNEL_TYPES.get(payload.object)
    if (type === undefined) throw new Unreadable(`The object ${shown(payload.object)} is not supported.`)
    for (const [index, value] of asList(payload.entry).entries()) {
      readEntry(asObject(value), `entry[${index}]`, { type, receivedAt }, attempt)
    }
    return []
  })
  return decoded
}

type Attempt = (item: string, read: () => Fact[]) => void

function readEntry(
  entry: Json,
  item: string,
  { type, receivedAt }: { type: string; receivedAt: number },
  attempt: Attempt,
): void {
  let ownId: string | undefined
  attempt(item, () => {
    const id = readId(entry.id, 'the id of an entry')
    if (id === undefined) throw new Unreadable('The entry names no page or account.')
    if (id !== TEST_ENTRY) ownId = id
    return []
  })
  if (ownId === undefined) return
  const own: Entry = { channelId: `${type}_${ownId}`, ownId, time: entry.time, receivedAt }
  for (const list of ['messaging', 'standby'] as const) {
    for (const [index, value] of asList(entry[list]).entries()) {
      attempt(`${item}.${list}[${index}]`, () => {
        checkDepth(value)
        return readMessaging(asObject(value), own)
      })
    }
  }
  // Instagram comments come in changes, or with field and value on the entry itself.
  const changes = entry.field === undefined ? asList(entry.changes) : [entry]
  for (const [index, value] of changes.entries()) {
    const { field, value: change } = asObject(value)
    attempt(`${item}.changes[${index}]`, () => {
      checkDepth(change)
      return readChange(field, asObject(change), own)
    })
  }
}

/**
 * Reads a message to or from a user. A message whose content the platform does not show (`is_unsupported`) counts as written
 * too. Deleted and edited messages, reads, deliveries and reactions are not kept.
 */
function readMessaging(update: Json, { channelId, ownId, time, receivedAt }: Entry): Fact[] {
  const message = asObject(update.message)
  const isMessage = update.message !== undefined && message.is_deleted !== true
  if (!isMessage && update.postback === undefined) return []
  const isEcho = message.is_echo === true
  const person = asObject(isEcho ? update.recipient : update.sender)
  const conversationId = readId(person.id, isEcho ? 'recipient.id' : 'sender.id')
  if (conversationId === undefined) throw new Unreadable('The message names no person.')
  if (conversationId === ownId) return []
  const at = readInstant(update.timestamp ?? time, 'timestamp', receivedAt)
  const asksToStop = !isEcho && typeof message.text === 'string' && isOptOut(message.text)
  return [{ type: 'message', channelId, conversationId, at, isEcho, ...(asksToStop && { isOptOut: true }) }]
}

function readChange(field: unknown, value: Json, entry: Entry): Fact[] {
  if (field === 'feed') return value.item === 'comment' && value.verb === 'add' ? [readComment(value, entry)] : []
  return field === 'comments' || field === 'live_comments' ? [readComment(value, entry)] : []
}

/**
 * Comments are passed on, including our own replies: the automation recognizes them by the person. A comment on a boosted
 * Instagram post belongs to the original, which the service published. A comment on the post itself has no parent, although
 * Facebook names the post as its parent.
 */
function readComment(value: Json, { channelId, time, receivedAt }: Entry): Fact {
  const commentId = readId(value.comment_id ?? value.id, 'comment_id')
  const { original_media_id: originalId, id: mediaId } = asObject(value.media)
  const objectId = readId(value.post_id ?? originalId ?? mediaId ?? asObject(value.post).id, 'post_id')
  const parentId = readId(value.parent_id, 'parent_id')
  if (commentId === undefined || objectId === undefined) throw new Unreadable('The comment or its post has no id.')
  const from = asObject(value.from)
  const text = value.message ?? value.text
  return {
    type: 'comment',
    channelId,
    commentId,
    objectId,
    parentId: parentId === objectId ? undefined : parentId,
    personId: readId(from.id, 'from.id'),
    fromName: readName(from.username ?? from.name),
    text: typeof text === 'string' ? text.replaceAll('\0', '').slice(0, TEXT_CHARS_MAX).toWellFormed() : undefined,
    at: readInstant(value.created_time ?? time ?? receivedAt, 'created_time', receivedAt),
  }
}

/**
 * A user asked Meta to have their data deleted: their id is that of a conversation, on any channel. What a browser gets at
 * sign-in, and what a page's tab is opened with, also names a user and is signed in the same way.
 */
function readDeletion(payload: Json): Fact {
  if (!hasOnly(payload, 'algorithm', 'issued_at', 'expires', 'user_id')) {
    throw new Unreadable('The signed request is not a request to delete data, so nothing was deleted.')
  }
  const id = readId(payload.user_id, 'user_id')
  if (id === undefined) throw new Unreadable('The request names no user.')
  return { type: 'forget', ids: [{ kind: 'meta:*', id }], reason: 'data-deletion' }
}
