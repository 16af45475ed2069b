// The emoji that the console offers, with their English names.
import { createRequire } from 'node:module'

/** Posts use few symbols other than marks such as ✅ and ❗. */
const isOfUse = (group, name) =>
  group !== 'Flags' && (group !== 'Symbols' || name.includes('mark')) && !/o’clock|thirty/.test(name)

/** Returns the emoji that every system draws, mostly faces and hearts: one per line, followed by its name. */
export function fileOfEmoji() {
  const known = createRequire(import.meta.url)('unicode-emoji-json')
  const lines = Object.entries(known)
    .filter(([emoji, { name, group }]) => isOfUse(group, name) && !emoji.includes('\u200d'))
    .filter(([, { group, emoji_version: version }]) => Number(version) <= (group === 'Smileys & Emotion' ? 12 : 0.6))
    .map(([emoji, { name }]) => `${emoji} ${name}`)
  return `export const EMOJI_LINES = \`${lines.join('\n')}\`\n`
}
