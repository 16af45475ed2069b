import { foldCase } from '../interface/normal-form.js'

/** The words by which people ask for no more automated messages (superpowers act: docs/automation.md). */
const WORDS = new Set(['stop', 'cancel', 'unsubscribe', 'parar', 'sair', 'alto', 'baja'])
/** The platforms take no longer message. Of a longer text the beginning is looked at. */
const TEXT_CHARS_MAX = 20_000
/** A word of letters, with what is neither letter nor digit around it. */
const LONELY_WORD = /^[^\p{L}\p{N}]*(\p{L}+)[^\p{L}\p{N}]*$/u

/** Tells whether a whole comment or message is one of the words, whatever its case, and signs around it. */
export function isOptOut(text: string): boolean {
  const looked = foldCase(text.trim().slice(0, TEXT_CHARS_MAX))
  return WORDS.has(LONELY_WORD.exec(looked)?.[1] ?? '')
}
