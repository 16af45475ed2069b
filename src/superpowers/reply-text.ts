import type { ChannelType } from '../interface/generated/types.js'
import type { RuleReply } from './rule.js'

const INSTAGRAM_BYTES_MAX = 1_000
/** The text of a message on Facebook. */
const FACEBOOK_CHARS_MAX = 2_000
const MENTION = '@[mention_user]'

/** A comment, as far as it is answered by name. */
export interface Addressed {
  /** Facebook's. */
  personName: string | null
  /** Instagram's, without @. */
  username: string | null
}

export interface ReplyWorld {
  channelType: ChannelType
  /** Stands at the start of every private reply. */
  notice: string | null
}

/**
 * The private reply that is sent, with the notice at its start. Instagram gets text alone: a template to a person who does
 * not follow fails there, and uses up the one reply. So addresses are lines, and the text gives way to them; the notice
 * gives way to nothing. An address is sent whole or not at all.
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

/** The lines for which there is room, each after a line break. */
function fittingLines(lines: readonly string[], bytesMax: number): string {
  let fitting = ''
  for (const line of lines) {
    if (bytesOf(fitting) + 1 + bytesOf(line) <= bytesMax) fitting += `\n${line}`
  }
  return fitting
}

/** A public reply is its text alone. */
export const toPublicReply = (reply: RuleReply, comment: Addressed, channelType: ChannelType): RuleReply => ({
  ...reply,
  text: fillIn(reply.text, comment, channelType),
  media: null,
  links: [],
})

/**
 * Puts in who wrote the comment: the name on Facebook, `@username` on Instagram. Without either the place is left out, with
 * the space that is too much, and with its comma where it begins a line or ends a sentence.
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

/** Cuts at a code point, so that what is left measures `max` at most. */
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
