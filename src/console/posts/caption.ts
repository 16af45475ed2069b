/** Splits a caption into plain text and what the platform turns into links. */
export function splitCaption(caption: string): { text: string; isTag: boolean }[] {
  return caption
    .split(/(#[\p{N}_]*\p{L}[\p{L}\p{N}\p{M}_]*|(?<![\p{L}\p{N}_.])@[A-Za-z0-9_][A-Za-z0-9_.]*|https?:\/\/\S+)/u)
    .map((text, index) => ({ text, isTag: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

/** Returns a caption's hashtags as written. */
export const hashtagsOf = (caption: string): string[] =>
  splitCaption(caption).flatMap(({ text, isTag }) => (isTag && text.startsWith('#') ? [text] : []))

export type Feed = 'instagram' | 'facebook'

/** Approximately where each app's feed truncates a text, in characters and lines. */
const FOLDS: Record<Feed, { chars: number; lines: number }> = {
  instagram: { chars: 125, lines: 3 },
  facebook: { chars: 477, lines: 5 },
}
/** Truncation happens between words, unless a word is longer than this. */
const WORD_CHARS_MAX = 40

/** Returns the visible part of a caption in the feed; short captions are returned whole. */
export function foldCaption(caption: string, feed: Feed): string {
  const { chars, lines } = FOLDS[feed]
  const characters = [...caption.split('\n').slice(0, lines).join('\n')]
  let head = characters.slice(0, chars).join('')
  if (characters.length > chars) {
    const space = lastSpace(head)
    if (space > 0 && head.length - space <= WORD_CHARS_MAX) head = head.slice(0, space)
  }
  return head.length === caption.length || caption.slice(head.length).trim() === '' ? caption : head.trimEnd()
}

/** Returns the start of the text's last run of spaces; 0 if there is none. */
function lastSpace(text: string): number {
  let end = text.length
  while (end > 0 && !/\s/.test(text[end - 1]!)) end -= 1
  return text.slice(0, end).trimEnd().length
}
