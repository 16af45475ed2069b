import stringWidth from 'string-width'

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

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - stringWidth(text))) + text
