import type { GraphAccess } from '../graph/graph-call.js'
import { GraphError } from '../graph/graph-error.js'
import { requireText } from '../graph/reading.js'
import { post, yielding } from './comments.js'
import type { ChannelTarget } from './target.js'

/** A message to a person. On Instagram it is only text: the caller has turned links and media into lines. */
export interface ReplyMessage {
  text: string
  /** The URL of an image. */
  mediaUrl: string | null
  links: readonly { text: string; url: string }[]
}

/** `recipientId` is the id of the conversation with the commenter. */
export interface AnsweredMessage {
  id: string
  recipientId: string | null
}

const MESSAGE_ID = /^[\x21-\x7e]{1,512}$/

/** Posts a message to the path of an object that carries messages. */
export async function postMessage(
  target: ChannelTarget,
  path: string,
  params: Record<string, unknown>,
  access: GraphAccess,
): Promise<AnsweredMessage> {
  const answer = await post(target, `${path}/messages`, params, access)
  const { recipient_id: recipientId } = answer
  return {
    id: requireText(answer.message_id, MESSAGE_ID, 'a message_id'),
    recipientId: typeof recipientId === 'string' && /^\d{1,32}$/.test(recipientId) ? recipientId : null,
  }
}

/** Messages sent through a page have a quota of their own, which the platform counts per page. */
export const messengerAccess = (target: ChannelTarget): GraphAccess => ({
  ...yielding(target),
  limitKey: target.pageId ?? target.platformId,
  useCase: 'messenger',
})

export function requireSome(text: string): string {
  if (text.trim() === '') throw notSent('The message is empty.')
  return text
}

export const notSent = (userText: string): GraphError =>
  new GraphError('invalid', `not called: ${userText}`, { outcome: 'refused', userText })
