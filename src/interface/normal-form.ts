/** No word has this many consecutive marks; longer runs are sorted in pieces. */
const MARKS_MAX = 30
/** Marks, and the two letters that compatibility normalization turns into marks. */
const MANY_MARKS = new RegExp(`[\\p{M}\\uFF9E\\uFF9F]{${MARKS_MAX}}`, 'gu')
const GRAPHEME_JOINER = '\u034F'

/**
 * Converts a string to a Unicode normal form. `String.normalize` sorts the marks of a character by insertion, in
 * quadratic time. Inserting a joiner after every 30 marks bounds it, like the stream-safe format of Unicode's annex
 * 15. The joiner is invisible, and only texts with that many marks get one.
 */
export const toNormalForm = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(MANY_MARKS, (marks) => marks + GRAPHEME_JOINER).normalize(form)

/**
 * Combining dots above an i or j, which already has a dot: in the lower case of İ, and in Lithuanian between i and an
 * accent.
 */
const DOTS_ABOVE = /(?<=[ij]\u0328?)\u0307+/g

/**
 * Returns the form for comparing texts regardless of case: Unicode's full case folding of NFKC, without the rules of
 * any language. `ß`, `ẞ` and `SS` are equal, and so are `σ`, `ς` and `Σ`, and the four letters `I`, `i`, `İ` and `ı`:
 * a Turkish word in capitals is the same word, and English is not read as Turkish.
 */
export function foldCase(text: string): string {
  // To upper case and back: capitals expand `ß`, `ŉ` and ligatures, and have one form for letters with several
  // lower-case forms.
  const folded = toNormalForm(text, 'NFKC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return toNormalForm(toNormalForm(folded, 'NFD').replace(DOTS_ABOVE, ''), 'NFKC')
}
