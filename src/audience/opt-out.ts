import { foldCase } from '../interface/normal-form.js'

/** The words with which people ask for no more automated messages (docs/automation.md). */
const WORDS = new Set(['stop', 'cancel', 'unsubscribe', 'parar', 'sair', 'alto', 'baja'])
/** The platforms' longest message. Only this much of a longer text is examined. */
const TEXT_CHARS_MAX = 20_000
/** One word of letters, surrounded by neither letters nor digits. */
const LONELY_WORD = /^[^\p{L}\p{N}]*(\p{L}+)[^\p{L}\p{N}]*$/u

/** Returns whether a whole comment or message is one of the words, ignoring case and surrounding punctuation. */
export function isOptOut(text: string): boolean {
  const looked = foldCase(text.trim().slice(0, TEXT_CHARS_MAX))
  return WORDS.has(LONELY_WORD.exec(looked)?.[1] ?? '')
}
