import type { ChannelType } from '../interface/generated/types.js'
import { GraphError } from './graph-error.js'

/** A message to a person. On Instagram the text alone: the caller has made lines of it of what it links to. */
export interface ReplyMessage {
  text: string
  /** An image. */
  mediaUrl: string | null
  links: readonly { text: string; url: string }[]
}

type Link = ReplyMessage['links'][number]

/** The platform's limits. Characters are counted in UTF-16, which is never less than it counts itself. */
const FACEBOOK_TEXT_CHARS_MAX = 2000
const INSTAGRAM_TEXT_BYTES_MAX = 1000
const BUTTONS_MAX = 3
const BUTTON_TITLE_CHARS_MAX = 20
const BUTTON_TEXT_CHARS_MAX = 640
const CARD_TITLE_CHARS_MAX = 80

/**
 * The `message` of a call. Facebook takes a text or an attachment in one message, and there is only one:
 *
 * - an image alone is an attachment; an image with a text of one line of up to 80 characters a card (generic template);
 *   with a longer text its URL is a line of the text;
 * - links are buttons of the card or of the text (button template, up to 640 characters); those that do not fit (a name of
 *   more than 20 characters, the fourth and further ones, no http URL, a longer text) are lines of the text.
 *
 * So nothing of the text is ever left out. Throws a GraphError (`refused`) for an empty text and one that is too long:
 * the call is not made, and does not use up the one reply.
 */
export const toPlatformMessage = (type: ChannelType, message: ReplyMessage): Record<string, unknown> =>
  type === 'FB_PAGE' ? toFacebookMessage(message) : toInstagramMessage(message)

function toInstagramMessage({ text }: ReplyMessage): Record<string, unknown> {
  if (Buffer.byteLength(text) > INSTAGRAM_TEXT_BYTES_MAX) {
    throw notSent(`The message is longer than the ${INSTAGRAM_TEXT_BYTES_MAX} bytes that Instagram takes.`)
  }
  return { text: requireSome(text) }
}

function toFacebookMessage({ text, mediaUrl, links }: ReplyMessage): Record<string, unknown> {
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
  if (plain.length > FACEBOOK_TEXT_CHARS_MAX) {
    throw notSent(`The message is longer than the ${FACEBOOK_TEXT_CHARS_MAX} characters that Facebook takes.`)
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

function requireSome(text: string): string {
  if (text.trim() === '') throw notSent('The message is empty.')
  return text
}

const notSent = (userText: string): GraphError =>
  new GraphError('invalid', `not called: ${userText}`, { outcome: 'refused', userText })
