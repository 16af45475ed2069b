import { EMOJI_LINES } from '../../interface/generated/words/emoji.ts'

/** Emoji with their English names, for search. */
export const EMOJI: readonly (readonly [emoji: string, name: string])[] = EMOJI_LINES.split('\n').map((line) => {
  const gap = line.indexOf(' ')
  return [line.slice(0, gap), line.slice(gap + 1)] as const
})
