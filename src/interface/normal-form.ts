/** As many marks in a row no word has; more of them are put in order piece by piece. */
const MARKS_MAX = 30
/** Marks, and the two letters that compatibility makes marks of. */
const MANY_MARKS = new RegExp(`[\\p{M}\\uFF9E\\uFF9F]{${MARKS_MAX}}`, 'gu')
const GRAPHEME_JOINER = '\u034F'

/**
 * A text in one of Unicode's normal forms. `String.normalize` sorts the marks of a character by insertion, which takes
 * time with the square of their number: a joiner after each 30 marks bounds it, as the stream-safe format of Unicode's
 * annex 15 does. The joiner is invisible, and only a text of so many marks gets one.
 */
export const toNormalForm = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(MANY_MARKS, (marks) => marks + GRAPHEME_JOINER).normalize(form)

/** Dots above an i or a j, which has one of its own: the lower case of İ, and Lithuanian between i and an accent. */
const DOTS_ABOVE = /(?<=[ij]\u0328?)\u0307+/g

/**
 * The form in which texts are compared whatever their case: Unicode's full case folding of NFKC, in no language's own way.
 * `ß`, `ẞ` and `SS` are one, `σ`, `ς` and `Σ`, and the four letters `I`, `i`, `İ` and `ı`: a Turkish word in capitals is
 * the same word, and English is not read as Turkish.
 */
export function foldCase(text: string): string {
  // Up and down again: capitals write `ß`, `ŉ` and ligatures out, and have one form for letters with several small ones.
  const folded = toNormalForm(text, 'NFKC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return toNormalForm(toNormalForm(folded, 'NFD').replace(DOTS_ABOVE, ''), 'NFKC')
}
