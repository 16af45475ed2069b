import type { ChannelType } from '../interface/generated/types.js'
import type { RuleReply } from './rule.js'

const INSTAGRAM_BYTES_MAX = 1_000
/** The longest text of a message on Facebook. */
const FACEBOOK_CHARS_MAX = 2_000
const MENTION = '@[mention_user]'

/** The parts of a comment that a reply uses to address its writer. */
export interface Addressed {
  /** Only on Facebook. */
  personName: string | null
  /** Only on Instagram, without the @. */
  username: string | null
}

export interface ReplyWorld {
  channelType: ChannelType
  /** Begins every private reply. */
  notice: string | null
}

/**
 * Returns the private reply to send, beginning with the notice. Instagram gets only text: a template to a person who does
 * not follow fails there, and uses up the one reply. So URLs become lines, for which the text is shortened if needed; the
 * notice is never shortened. A URL is sent whole or not at all.
 */
export function toPrivateReply(reply: RuleReply, comment: Addressed, world: ReplyWorld): RuleReply {
  const { channelType, notice } = world
  const head = notice?.trim() ?? ''
  const body = fillIn(reply.text, comment, channelType)
  const text = [head, body].filter((part) => part !== '').join('\n\n')
  if (channelType === 'FB_PAGE') return { ...reply, text: cut(text, FACEBOOK_CHARS_MAX, ({ length }) => length) }
  const lines = fittingLines(toLines(reply), INSTAGRAM_BYTES_MAX - bytesOf(head))
  const fitting = cut(text, INSTAGRAM_BYTES_MAX - bytesOf(lines), bytesOf).trimEnd()
  return { ...reply, text: `${fitting}${fitting === '' ? lines.slice(1) : lines}`, media: null, links: [] }
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

const toLines = ({ media, links }: RuleReply): string[] => [
  ...(media === null ? [] : [media.url]),
  ...links.map(({ text: label, url }) => (label === url ? url : `${label}: ${url}`)),
]

/** Returns the lines that fit, each after a line break. */
function fittingLines(lines: readonly string[], bytesMax: number): string {
  let fitting = ''
  for (const line of lines) {
    if (bytesOf(fitting) + 1 + bytesOf(line) <= bytesMax) fitting += `\n${line}`
  }
  return fitting
}

/** A public reply is only its text. */
export const toPublicReply = (reply: RuleReply, comment: Addressed, channelType: ChannelType): RuleReply => ({
  ...reply,
  text: fillIn(reply.text, comment, channelType),
  media: null,
  links: [],
})

/**
 * Fills in who wrote the comment: the name on Facebook, `@username` on Instagram. Without either, the placeholder is dropped
 * along with the extra space, and with its comma at the start of a line or the end of a sentence.
 */
function fillIn(text: string, { personName, username }: Addressed, channelType: ChannelType): string {
  const name =
    channelType === 'INSTAGRAM_ACCOUNT' && username !== null ? `@${username}` : (personName ?? username ?? '')
  if (name !== '' || !text.includes(MENTION)) return text.replaceAll(MENTION, () => name)
  return text
    .replace(/^(?: *@\[mention_user\])+[,:]? */gm, '')
    .replace(/,? ?@\[mention_user\]( *(?:[.!?]|$))/gm, '$1')
    .replace(/ ?@\[mention_user\]/g, '')
    .trim()
}

/** Cuts at a code point, so that the rest measures at most `max`. */
function cut(text: string, max: number, measure: (part: string) => number): string {
  if (measure(text) <= max) return text
  let length = 0
  let end = 0
  for (const point of text) {
    length += measure(point)
    if (length > max) break
    end += point.length
  }
  return text.slice(0, end)
}
