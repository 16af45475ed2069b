import type { ChannelType } from './generated/types.js'

type Counted = 'characters' | 'hashtags' | 'mentions'

/**
 * The limits of a caption on each platform. Meta does not document what counts as a character. Unicode code points
 * are among the most lenient counts: a caption that is refused here can never be published, and one that only the
 * platform finds too long fails with the platform's own message.
 */
const CAPTION_LIMITS: Record<ChannelType, Partial<Record<Counted, number>>> = {
  FB_PAGE: { characters: 63_206 },
  INSTAGRAM_ACCOUNT: { characters: 2200, hashtags: 30, mentions: 20 },
}

/** These also match only unambiguous cases: `#1` and `me@example.com` do not match. */
const HASHTAG = /#[\p{N}_]*\p{L}/gu
const MENTION = /(?<![\p{L}\p{N}_.])@[A-Za-z0-9_]/gu

export interface CaptionCount {
  what: Counted
  count: number
  max: number
}

/** Counts what the channel type limits. An unknown type has no limits. */
export function countCaption(channelType: string, caption: string): CaptionCount[] {
  const limits = CAPTION_LIMITS[channelType as ChannelType] ?? {}
  const counts: [Counted, number][] = [
    ['characters', [...caption].length],
    ['hashtags', caption.match(HASHTAG)?.length ?? 0],
    ['mentions', caption.match(MENTION)?.length ?? 0],
  ]
  return counts.flatMap(([what, count]) => {
    const max = limits[what]
    return max === undefined ? [] : [{ what, count, max }]
  })
}
