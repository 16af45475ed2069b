import stringWidth from 'string-width'

/**
 * Characters that must not reach a terminal. Control characters move its cursor and change its colours or title; direction
 * marks reorder a line.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u
const UNSAFE_RUN = new RegExp(`${UNSAFE.source}+`, 'gu')
const UNSAFE_BUT_LINES = new RegExp(`(?!\\r?\\n|\\t)${UNSAFE.source}`, 'gu')

/** Makes text from a server safe for one line of a terminal. */
export const onOneLine = (text: string): string => text.replaceAll(UNSAFE_RUN, ' ')

/** Makes text of several lines safe for a terminal. The escapes keep JSON valid and unchanged in meaning. */
export const forTerminal = (text: string): string =>
  text.replaceAll(UNSAFE_BUT_LINES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - stringWidth(text))) + text

const graphemes = new Intl.Segmenter()

/** Cuts a string of one line to a maximum width. A cut text ends with `…`. */
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

/** Wraps a string of one line to a maximum width. Longer words are not broken, so that they can be copied. */
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
