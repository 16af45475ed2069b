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
