import { common } from '../words.ts'

/** These texts are about copies of a post. */
export const copyWords = {
  duplicate: 'Duplicate',
  toChannel: 'Copy to another channel…',
  title: 'Copy to another channel',
  from: 'Text of',
  to: 'To',
  noOther: 'There is no other channel to copy to.',
  add: 'Add to this post',
  added: (channel: string): string => `${channel} is added with this text. It is not saved yet.`,
  newDraft: 'Start a new draft',
  newDraftHint: 'The new draft has the text, the superpower, the picture or video and the notes, and no time yet.',
  leftOut: (hashtags: string[]): string =>
    `${hashtags.length === 1 ? 'The hashtag' : 'The hashtags'} ${common.list(hashtags)} ${hashtags.length === 1 ? 'stays' : 'stay'} with the original, because on each channel a hashtag belongs to one post at a time. Give the superpower of this copy another one.`,
  goneChannels: (channels: string[]): string =>
    `${common.list(channels)} ${channels.length === 1 ? 'was deleted, and is' : 'were deleted, and are'} left out of the copy.`,
}
