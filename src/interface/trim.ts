/**
 * Removes the given characters from the end of a string. A pattern that ends in `+$` would restart at each character of
 * a run, in quadratic time.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
