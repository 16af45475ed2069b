const NAME_CHARS = 48

/** Returns the beginning of a string, by which people recognize a post. */
export function toName(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()]
  return characters.length <= NAME_CHARS ? characters.join('') : `${characters.slice(0, NAME_CHARS - 1).join('')}…`
}
