import { relative } from 'node:path'

/** Quotes one word for a POSIX shell. */
export const quoteWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The same, but unquoted if no quotes are needed. */
export const toShellWord = (text: string): string => (/^[\w=./:@%+,-]+$/.test(text) ? text : quoteWord(text))

/** Returns the path as a person in the current directory would write it. */
export function toShownPath(path: string): string {
  const fromHere = relative('', path) || '.'
  return fromHere.startsWith('..') ? path : fromHere
}
