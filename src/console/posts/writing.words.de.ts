import { common } from '../words.ts'
import type { writingWords as english } from './writing.words.ts'

/** These texts are about the tools for writing: emoji, saved texts and groups of hashtags. */
export const writingWords: typeof english = {
  emoji: 'Emojis…',
  savedTexts: 'Textbausteine…',
  emojiTitle: 'Emojis',
  search: 'Suchen',
  emojiHint: 'Nach dem englischen Namen, etwa heart. Pfeiltasten bewegen, Eingabe übernimmt eines.',
  recent: 'Zuletzt benutzt',
  allEmoji: 'Alle',
  found: (many) => common.count(many, 'Emoji', 'Emojis'),
  noEmoji: 'Kein Emoji hat diesen Namen.',
  textsTitle: 'Textbausteine und Hashtags',
  kinds: { TEXT: 'Texte', HASHTAGS: 'Gruppen von Hashtags' },
  kind: 'Art',
  kindOf: { TEXT: 'Text', HASHTAGS: 'Gruppe von Hashtags' } as Record<string, string>,
  name: 'Name',
  text: 'Text',
  none: 'Noch ist nichts gespeichert.',
  noneHint: 'Speichern Sie, was mehrere Beiträge gleich sagen, etwa Öffnungszeiten oder eine Gruppe von Hashtags.',
  noneFound: 'Nichts hat diesen Namen oder Text.',
  insert: 'Einfügen',
  change: 'Ändern',
  add: 'Neuen Baustein speichern',
  saved: (name) => `${name} ist gespeichert.`,
  deleted: (name) => `${name} ist gelöscht. Beiträge, die ihn übernommen haben, behalten den Text.`,
  back: 'Zurück zur Liste',
}
