import stringWidth from 'string-width'

/**
 * What must not reach a terminal: control characters move its cursor, change its colours or its title, and direction marks
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
