import { loginOf } from '../../graph/login.js'
import { requireId, requireObjectId } from '../../graph/reading.js'
import { yielding } from '../comments.js'
import {
  type AnsweredMessage,
  messengerAccess,
  notSent,
  postMessage,
  type ReplyMessage,
  requireSome,
} from '../messages.js'
import type { ChannelTarget } from '../target.js'

const TEXT_BYTES_MAX = 1000

/**
 * With Facebook login, messages and subscriptions are edges of the account's page; the account's own id returns (#3). If the
 * page is unknown, `/me` is the page of a page's token.
 */
export function messagingPath({ platformId, pageId, access }: ChannelTarget): string {
  const isByPage = loginOf(access.accessToken) === 'facebook'
  if (isByPage && pageId === null) return '/me'
  return `/${requireId(isByPage ? pageId! : platformId)}`
}

export const sendPrivateReply = async (
  target: ChannelTarget,
  { commentId, message }: { commentId: string; message: ReplyMessage },
): Promise<AnsweredMessage> =>
  await send(target, { recipient: { comment_id: requireObjectId(commentId) }, message: toPlatformMessage(message) })

export const sendMessage = async (
  target: ChannelTarget,
  { recipientId, message }: { recipientId: string; message: ReplyMessage },
): Promise<AnsweredMessage> =>
  await send(target, { recipient: { id: requireId(recipientId) }, message: toPlatformMessage(message) })

function send(target: ChannelTarget, params: Record<string, unknown>): Promise<AnsweredMessage> {
  const isByPage = loginOf(target.access.accessToken) === 'facebook'
  return postMessage(target, messagingPath(target), params, isByPage ? messengerAccess(target) : yielding(target))
}

function toPlatformMessage({ text }: ReplyMessage): Record<string, unknown> {
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
    throw notSent(`The message is longer than the ${TEXT_BYTES_MAX} bytes that Instagram accepts.`)
  }
  return { text: requireSome(text) }
}
