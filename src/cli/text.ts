import stringWidth from 'string-width'

/**
 * These must not reach a terminal: control characters move its cursor, change its colours or its title, and direction marks
 * reorder a line.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u
const UNSAFE_RUN = new RegExp(`${UNSAFE.source}+`, 'gu')
const UNSAFE_BUT_LINES = new RegExp(`(?!\\r?\\n|\\t)${UNSAFE.source}`, 'gu')

/** Makes text of a server safe for one line of a terminal. */
export const onOneLine = (text: string): string => text.replaceAll(UNSAFE_RUN, ' ')

/** The same for text of several lines, with escapes that leave JSON the same JSON. */
export const forTerminal = (text: string): string =>
  text.replaceAll(UNSAFE_BUT_LINES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - stringWidth(text))) + text

const graphemes = new Intl.Segmenter()

/** A text of one line in at most so many columns: what is left out ends with `…`. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** A text of one line as lines of at most so many columns. A longer word is not broken, so that it can be copied. */
export function wrap(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text]
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ')) {
    if (line === undefined) line = word
    else if (stringWidth(line) + 1 + stringWidth(word) <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  return line === undefined ? lines : [...lines, line]
}
