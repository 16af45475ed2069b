/** The words by which people ask for no more automated messages (superpowers act: docs/automation.md). */
const WORDS = new Set(['stop', 'cancel', 'unsubscribe', 'parar', 'sair', 'alto', 'baja'])

/** Tells whether a whole comment or message is one of the words, whatever its case, and signs around it. */
export const isOptOut = (text: string): boolean =>
  WORDS.has(
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''),
  )
