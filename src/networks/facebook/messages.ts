import { requireId, requireObjectId } from '../../graph/reading.js'
import { read } from '../comments.js'
import {
  type AnsweredMessage,
  messengerAccess,
  notSent,
  postMessage,
  type ReplyMessage,
  requireSome,
} from '../messages.js'
import type { ChannelTarget } from '../target.js'

type Link = ReplyMessage['links'][number]

/** The platform's limits. Characters are counted in UTF-16, which is never less than the platform counts. */
const TEXT_CHARS_MAX = 2000
const BUTTONS_MAX = 3
const BUTTON_TITLE_CHARS_MAX = 20
const BUTTON_TEXT_CHARS_MAX = 640
const CARD_TITLE_CHARS_MAX = 80

export async function mayReplyPrivately(target: ChannelTarget, commentId: string): Promise<boolean> {
  const fields = 'can_reply_privately,private_reply_conversation'
  const answer = await read(target, `/${requireObjectId(commentId)}`, { fields })
  return answer.can_reply_privately !== false && (answer.private_reply_conversation ?? null) === null
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
  await send(target, {
    recipient: { id: requireId(recipientId) },
    messaging_type: 'RESPONSE',
    message: toPlatformMessage(message),
  })

const send = (target: ChannelTarget, params: Record<string, unknown>): Promise<AnsweredMessage> =>
  postMessage(target, `/${requireId(target.platformId)}`, params, messengerAccess(target))

/**
 * Returns the `message` of a call. Facebook takes either a text or an attachment in a message, and only one message:
 *
 * - An image without text is an attachment. An image with one line of up to 80 characters is a card (generic template); with
 *   a longer text, its URL becomes a line of the text.
 * - Links are buttons of the card or of the text (button template, up to 640 characters). Links that do not fit (a label of
 *   more than 20 characters, the fourth and later ones, no http URL, a longer text) become lines of the text.
 *
 * So no text is ever dropped. Throws a GraphError (`refused`) if the text is empty or too long: the call is then not made,
 * and does not use up the one reply.
 */
function toPlatformMessage({ text, mediaUrl, links }: ReplyMessage): Record<string, unknown> {
  const { buttons, others } = splitLinks(links)
  if (mediaUrl !== null && links.length === 0 && text.trim() === '') {
    return { attachment: { type: 'image', payload: { url: mediaUrl } } }
  }
  if (mediaUrl !== null && others.length === 0 && isCardTitle(text)) {
    const card = { title: text, image_url: mediaUrl, ...(buttons.length > 0 && { buttons: buttons.map(toButton) }) }
    return template({ template_type: 'generic', elements: [card] })
  }
  const media = mediaUrl === null ? [] : [mediaUrl]
  const withButtons = toLines([text, ...media, ...others.map(toLine)])
  if (buttons.length > 0 && withButtons !== '' && withButtons.length <= BUTTON_TEXT_CHARS_MAX) {
    return template({ template_type: 'button', text: withButtons, buttons: buttons.map(toButton) })
  }
  const plain = toLines([text, ...media, ...links.map(toLine)])
  if (plain.length > TEXT_CHARS_MAX) {
    throw notSent(`The message is longer than the ${TEXT_CHARS_MAX} characters that Facebook accepts.`)
  }
  return { text: requireSome(plain) }
}

function splitLinks(links: readonly Link[]): { buttons: Link[]; others: Link[] } {
  const buttons = links.filter(isButton).slice(0, BUTTONS_MAX)
  return { buttons, others: links.filter((link) => !buttons.includes(link)) }
}

const isButton = ({ text, url }: Link): boolean =>
  text.trim() !== '' && text.length <= BUTTON_TITLE_CHARS_MAX && /^https?:\/\//i.test(url) && URL.canParse(url)

const isCardTitle = (text: string): boolean =>
  text.trim() !== '' && text.length <= CARD_TITLE_CHARS_MAX && !text.includes('\n')

const toButton = ({ text, url }: Link): Record<string, string> => ({ type: 'web_url', title: text, url })
const toLine = ({ text, url }: Link): string => (text.trim() === '' ? url : `${text}: ${url}`)
const toLines = (lines: string[]): string => lines.filter((line) => line.trim() !== '').join('\n')
const template = (payload: Record<string, unknown>): Record<string, unknown> => ({
  attachment: { type: 'template', payload },
})
