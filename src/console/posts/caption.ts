/** A caption in pieces: what a platform shows as a link stands apart. */
export function splitCaption(caption: string): { text: string; isTag: boolean }[] {
  return caption
    .split(/(#[\p{N}_]*\p{L}[\p{L}\p{N}\p{M}_]*|(?<![\p{L}\p{N}_.])@[A-Za-z0-9_][A-Za-z0-9_.]*|https?:\/\/\S+)/u)
    .map((text, index) => ({ text, isTag: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

/** The hashtags of a caption as they are written. */
export const hashtagsOf = (caption: string): string[] =>
  splitCaption(caption).flatMap(({ text, isTag }) => (isTag && text.startsWith('#') ? [text] : []))
