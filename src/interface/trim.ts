/**
 * Removes the given characters from the end of a text. A pattern that ends in `+$` would begin again at each character of
 * a run of them, and so take time with the square of its length.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
