/** The words of a text in the form in which they are compared: NFKC, lower case, letters, digits and their marks. */
export const toWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** Tells whether the words of `phrase` stand in `words` one after the other. No words stand nowhere. */
export function hasPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  if (phrase.length === 0) return false
  for (let start = 0; start + phrase.length <= words.length; start++) {
    if (phrase.every((word, index) => words[start + index] === word)) return true
  }
  return false
}
