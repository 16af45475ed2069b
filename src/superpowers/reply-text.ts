import type { ChannelType } from '../interface/channels.js'
import type { RuleReply } from './rule.js'

const INSTAGRAM_BYTES_MAX = 1_000
/** The text of a message on Facebook. */
const FACEBOOK_CHARS_MAX = 2_000
const MENTION = '@[mention_user]'

/** The person who is answered. */
interface Named {
  /** Facebook's. */
  personName: string | null
  /** Instagram's, without @. */
  username: string | null
}

/**
 * The private reply that is sent, with the notice at its start. Instagram gets text alone: a template to somebody who does
 * not follow fails there, and uses up the one reply. So addresses are lines, and the text gives way to them.
 */
export function toPrivateReply(
  reply: RuleReply,
  comment: Named,
  world: { channelType: ChannelType; notice: string | null },
): RuleReply {
  const { channelType, notice } = world
  const text = [notice?.trim() ?? '', fillIn(reply.text, comment, channelType)]
    .filter((part) => part !== '')
    .join('\n\n')
  if (channelType === 'FB_PAGE') return { ...reply, text: cut(text, FACEBOOK_CHARS_MAX, ({ length }) => length) }
  const lines = [
    ...(reply.media === null ? [] : [reply.media.url]),
    ...reply.links.map(({ text: label, url }) => (label === url ? url : `${label}: ${url}`)),
  ].join('\n')
  const room = INSTAGRAM_BYTES_MAX - (lines === '' ? 0 : Buffer.byteLength(lines) + 1)
  const fitting = cut(text, Math.max(0, room), (part) => Buffer.byteLength(part))
  return { ...reply, text: [fitting, lines].filter((part) => part !== '').join('\n'), media: null, links: [] }
}

/** A public reply is its text alone. */
export const toPublicReply = (reply: RuleReply, comment: Named, channelType: ChannelType): RuleReply => ({
  ...reply,
  text: fillIn(reply.text, comment, channelType),
  media: null,
  links: [],
})

/** Puts in who wrote the comment: the name on Facebook, `@username` on Instagram; without either the place is left out. */
function fillIn(text: string, { personName, username }: Named, channelType: ChannelType): string {
  const name =
    channelType === 'INSTAGRAM_ACCOUNT' && username !== null ? `@${username}` : (personName ?? username ?? '')
  const filled = text.replaceAll(MENTION, () => name)
  return name === '' && text.includes(MENTION) ? filled.replace(/ {2,}/g, ' ').trim() : filled
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
