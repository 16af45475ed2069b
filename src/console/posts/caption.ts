import type { ChannelType } from '../../interface/channels.ts'

/** What a caption may have on each platform: the same as the service's publish check, held equal by a test. */
export const CAPTION_LIMITS: Record<ChannelType, { characters: number; hashtags?: number; mentions?: number }> = {
  FB_PAGE: { characters: 63_206 },
  INSTAGRAM_ACCOUNT: { characters: 2200, hashtags: 30, mentions: 20 },
}

const HASHTAG = /#[\p{N}_]*\p{L}/gu
const MENTION = /(?<![\p{L}\p{N}_.])@[A-Za-z0-9_]/gu

export type CaptionCount = { what: 'characters' | 'hashtags' | 'mentions'; count: number; max: number }

/** What a caption has of each thing that its channel limits. */
export function countCaption(type: string, caption: string): CaptionCount[] {
  const limits = CAPTION_LIMITS[type as ChannelType] ?? {}
  const counts = {
    characters: [...caption].length,
    hashtags: caption.match(HASHTAG)?.length ?? 0,
    mentions: caption.match(MENTION)?.length ?? 0,
  }
  return (Object.keys(counts) as (keyof typeof counts)[]).flatMap((what) => {
    const max = limits[what]
    return max === undefined ? [] : [{ what, count: counts[what], max }]
  })
}

/** A caption in pieces: what a platform shows as a link stands apart. */
export function splitCaption(caption: string): { text: string; isTag: boolean }[] {
  return caption
    .split(/(#[\p{N}_]*\p{L}[\p{L}\p{N}\p{M}_]*|(?<![\p{L}\p{N}_.])@[A-Za-z0-9_][A-Za-z0-9_.]*|https?:\/\/\S+)/u)
    .map((text, index) => ({ text, isTag: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

/** The hashtags of a caption as they are written. */
export const hashtagsOf = (caption: string): string[] =>
  splitCaption(caption).flatMap(({ text, isTag }) => (isTag && text.startsWith('#') ? [text] : []))
