import { relative } from 'node:path'

/** One word of a POSIX shell, in quotes. */
export const quoteWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The same, without quotes where none are needed. */
export const toShellWord = (text: string): string => (/^[\w=./:@%+,-]+$/.test(text) ? text : quoteWord(text))

/** The path as a person in the present folder writes it. */
export function toShownPath(path: string): string {
  const fromHere = relative('', path) || '.'
  return fromHere.startsWith('..') ? path : fromHere
}
