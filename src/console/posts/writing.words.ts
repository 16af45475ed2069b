import { common } from '../words.ts'

/** These texts are about the tools for writing: emoji, saved texts and groups of hashtags. */
export const writingWords = {
  emoji: 'Emoji…',
  savedTexts: 'Saved texts…',
  emojiTitle: 'Emoji',
  search: 'Search',
  emojiHint: 'By its English name, such as heart. Arrow keys move, Enter takes one.',
  recent: 'Used last',
  allEmoji: 'All',
  found: (many: number): string => common.count(many, 'emoji', 'emoji'),
  noEmoji: 'No emoji has this name.',
  textsTitle: 'Saved texts and hashtags',
  kinds: { TEXT: 'Texts', HASHTAGS: 'Groups of hashtags' },
  kind: 'Kind',
  kindOf: { TEXT: 'Text', HASHTAGS: 'Group of hashtags' } as Record<string, string>,
  name: 'Name',
  text: 'Text',
  none: 'Nothing is saved yet.',
  noneHint: 'Save what several posts say alike, such as opening hours or a group of hashtags.',
  noneFound: 'Nothing has this name or text.',
  insert: 'Insert',
  change: 'Change',
  add: 'Save a new one',
  saved: (name: string): string => `${name} is saved.`,
  deleted: (name: string): string => `${name} is deleted. Posts that took it keep it.`,
  back: 'Back to the list',
}
