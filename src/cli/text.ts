/**
 * What must not reach a terminal as it is: control characters move its cursor, set its colours or retitle it, and marks
 * of direction make a line read in another order than it is written.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u
const UNSAFE_RUN = new RegExp(`${UNSAFE.source}+`, 'gu')
const UNSAFE_BUT_LINES = new RegExp(`(?!\\r?\\n|\\t)${UNSAFE.source}`, 'gu')

/** What a server sent, fit for one line of a terminal. */
export const onOneLine = (text: string): string => text.replaceAll(UNSAFE_RUN, ' ')

/** The same for text of many lines: JSON with its lines broken means the same afterwards. */
export const forTerminal = (text: string): string =>
  text.replaceAll(UNSAFE_BUT_LINES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What takes two cells of a terminal: the wide and fullwidth blocks of Unicode's East Asian Width, emoji aside. */
const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u
const PLAIN = /^[ -~]*$/

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How many cells of a terminal a text takes; one person of several code points, such as 👩‍🚀, is one emoji of two. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    if (INVISIBLE.test(segment)) continue
    width += WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1
  }
  return width
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)))

export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - textWidth(text))) + text
